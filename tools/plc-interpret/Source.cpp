//===- Source.cpp - a model to interpret, from .ein or IR -----------------===//
#include "Source.h"

#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Language/Files/ParseModel.h"
#include "plc/Numerics/Passes.h"
#include "plc/Strategy/ApplyGroups.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/ResultName.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace plc::interpret {

using runtime::Error;
using runtime::usageError;

namespace {

/// An error whose text is printed already; it carries the exit code.
Error told(int exitCode = runtime::BadInput) { return Error(exitCode, "", ""); }

/// Whether gradients were made already, in IR of a later phase or of none.
bool isDifferentiated(ModuleOp module) {
  FailureOr<ein::Provenance> provenance = ein::provenanceOf(module);
  return failed(provenance) || provenance->phase.value_or(PhaseKind::numerics) > PhaseKind::ein;
}

// NAME=SIZE of a `-D`.
std::pair<std::string, int64_t> parseDefine(const std::string &text) {
  auto [name, size] = StringRef(text).split('=');
  int64_t value = 0;
  if (size.getAsInteger(10, value) || value < 0)
    throw usageError("found '" + size.str() + "' for '-D " + name.str() + "', expected an integer of at least 0");
  return {name.str(), value};
}

} // namespace

Source::Source(const runtime::ModelRequest &request, const Settings &settings)
    : settings(settings), context(MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  context.loadDialect<ein::EinDialect>();
  rules = StringRef(request.file).ends_with(".ein");
  if (!rules && !StringRef(request.file).ends_with(".mlir"))
    throw runtime::fileError(request.file, "is neither a .ein model nor .mlir IR");
  auto buffer = llvm::MemoryBuffer::getFile(request.file, /*IsText=*/true);
  if (!buffer)
    throw runtime::fileError(request.file, "cannot be read: " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  if (rules)
    parseRules(request);
  else if (!request.defines.empty() || !request.entry.empty())
    throw usageError("options '-D', '--config' and '--entry' apply to .ein models, not to IR");
  else
    parseIR(request.file);
  language::PassErrors errors(sources, context, llvm::errs(), settings.locations);
  for (ModuleOp each : {*module, step ? *step : ModuleOp()})
    if (each && failed(strategy::applyGroups(each, settings.optimizer,
                                             /*isDifferentiated=*/!rules && isDifferentiated(each), hasLoss())))
      throw told(errors.getExitCode());
}

// Parses a model, and the model of several batches if a step has them.
void Source::parseRules(const runtime::ModelRequest &request) {
  language::ParseOptions options;
  options.entry = request.entry;
  for (const std::string &name : request.outputs)
    if (parseResultName(name).isRuleValue())
      options.exposed.push_back(name);
  for (const std::string &text : request.defines)
    options.overrides.push_back(parseDefine(text));
  plc::Diagnostics diagnostics(sources);
  module = language::parseModel(sources, context, options, diagnostics);
  options.batches = settings.accumulationSteps;
  bool isStep = !module || options.batches == 1;
  if (!isStep)
    step = language::parseStep(sources, options, *module, diagnostics);
  diagnostics.print(llvm::errs());
  if (!module || !(isStep || step))
    throw told();
}

// Only `ein` is registered here. Replaces MLIR's long error about an unknown dialect by one line.
LogicalResult Source::describeUnknownOp(mlir::Diagnostic &error) {
  std::string text = error.str();
  auto location = dyn_cast<FileLineColLoc>(error.getLocation());
  auto [before, op] = StringRef(text).split(" not found for custom op ");
  if (op.empty() || !location)
    return failure(); // left to the next handler
  sources.PrintMessage(
      sources.FindLocForLineAndColumn(1, location.getLine(), location.getColumn()), llvm::SourceMgr::DK_Error,
      "operation " + op.rtrim() + " is not interpreted: IR of '--emit=numerics' and earlier phases is");
  return success();
}

// IR has its micro-batches, batches, shards and groups already, so keys must agree or be absent.
void Source::parseIR(const std::string &file) {
  SourceMgrDiagnosticHandler printer(sources, &context);
  ScopedDiagnosticHandler unknown(&context, [this](mlir::Diagnostic &error) { return describeUnknownOp(error); });
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    throw told();
  int64_t models = llvm::range_size(module->getOps<ein::ModelOp>());
  if (models != 1)
    throw runtime::fileError(file, "has " + std::to_string(models) + " 'ein.model' but needs one");
  int64_t cut = std::max<int64_t>(1, getModel().getMicroBatches());
  if (settings.microBatches && *settings.microBatches != cut)
    throw usageError("found " + std::to_string(*settings.microBatches) + " for 'parallelism.micro_batches', but '" +
                     file + "' has " + std::to_string(cut));
  if (settings.accumulationSteps != 1)
    throw usageError("key 'gradient.accumulation_steps' applies to .ein models, not to IR, which has its batches");
  if (!settings.shards.empty())
    throw usageError("key 'parallelism.shard' applies to .ein models, not to IR, which has its parts");
  if (settings.groups != 1)
    throw usageError("key 'gradient.lanes' applies to .ein models, not to IR, which has its own");
}

bool Source::hasLoss() { return algebra::hasLoss(getModel()); }

OwningOpRef<ModuleOp> Source::lower(ProgramKind kind, const std::vector<std::string> &outputs, bool entryOnly) {
  OwningOpRef<ModuleOp> program = (step && kind == ProgramKind::train ? *step : *module).clone();
  auto pipeline = PassManager::on<ModuleOp>(&context);
  if (rules)
    for (const algebra::Phase &phase :
         algebra::phasesToNumerics({kind, outputs, settings.compute, settings.microBatches.value_or(1),
                                    settings.accumulationSteps, settings.groups, settings.shards})) {
      phase.addPasses(pipeline);
      if (entryOnly)
        break;
    }
  if (!entryOnly)
    pipeline.addPass(numerics::createEinCutBatch());
  language::PassErrors errors(sources, context, llvm::errs(), settings.locations);
  if (failed(pipeline.run(*program)))
    throw told(errors.getExitCode());
  return program;
}

} // namespace plc::interpret

//===- Output.cpp - what a compilation prints and writes -------------------===//
#include "Output.h"

#include "Compilation.h"
#include "CompileUpdate.h"

#include "plc/Codegen/Target.h"
#include "plc/Codegen/WriteModule.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Support/CacheFolder.h"
#include "plc/Support/WholeFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace plc::driver;
using plc::ExitCode;
using plc::PhaseKind;
using enum plc::ExitCode;
using plc::language::PassErrors;
using plc::strategy::Strategy;
namespace keys = plc::keys;

int plc::driver::reportError(ExitCode code, const Twine &text) {
  llvm::errs() << "plc-compile: error: " << text << "\n";
  return code;
}

int plc::driver::writeOutput(const std::string &path, StringRef text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    return Done;
  }
  if (std::error_code error = plc::writeWhole(text, path))
    return reportError(BadInput, "cannot write '" + path + "': " + error.message());
  return Done;
}

int Compilation::print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Files and pipes get locations, so that errors of a later tool name the model's lines. A person at a terminal does
  // not.
  OpPrintingFlags flags;
  if (!options.output.empty() || !llvm::outs().is_displayed())
    flags.enableDebugInfo();
  module.print(stream, flags.useLocalScope());
  stream << "\n";
  return write(text);
}

int Compilation::write(StringRef text) { return writeOutput(options.output, text); }

bool Compilation::compareWithNone(const Program &program, plc::plan::PlanSummary &summary) {
  using plc::planner::RematPolicy;
  if (plc::parseChoice<RematPolicy>(summary.remat) == RematPolicy::none || done() >= PhaseKind::partition)
    return true;
  Program plain = program;
  plain.recomputes = false;
  OwningOpRef<ModuleOp> module = lower(plain, "");
  if (!module)
    return false;
  for (auto planned : module->getOps<plc::plan::ProgramOp>()) {
    plc::plan::PlanSummary none = plc::plan::summarize(planned);
    summary.noneArenaBytes = none.arenaBytes;
    // Recomputed iterations are part of the kernels that run them, so only the difference shows them.
    summary.addedFlops += summary.flops - none.flops;
    summary.flops = none.flops;
  }
  return true;
}

int Compilation::recommend() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "# The joint plan of " << llvm::sys::path::filename(options.model) << " on at most " << automatic.mostRanks
         << " ranks.\n#\n";
  plc::driver::print(automatic, "# ", stream);
  strategy.write(stream);
  return write(text);
}

void Compilation::printChoice() {
  if (!automatic.chosen || !isJoint)
    return;
  plc::driver::print(automatic, "", llvm::outs());
  llvm::outs() << "\n";
}

int Compilation::printPlan(const Program &program) {
  printChoice();
  std::string key;
  OwningOpRef<ModuleOp> module = kept(lowering->lower(program, key));
  if (!module)
    return code;
  for (auto planned : module->getOps<plc::plan::ProgramOp>()) {
    plc::plan::PlanSummary summary = plc::plan::summarize(planned);
    plc::plan::RouteTable routes(planned);
    plc::plan::TaskSlots slots(planned, routes);
    if (auto table = plc::plan::buildActionTable(planned, slots); succeeded(table))
      addRun(planned, *table, summary);
    if (!compareWithNone(program, summary))
      return code;
    plc::plan::print(summary, llvm::outs());
  }
  return Done;
}

int Compilation::printPlanned(const Program &program, StringRef last,
                              llvm::function_ref<void(plc::plan::ProgramOp, llvm::raw_ostream &)> print) {
  OwningOpRef<ModuleOp> module = lower(program, last);
  if (!module)
    return code;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto planned : module->getOps<plc::plan::ProgramOp>())
    print(planned, stream);
  return write(text);
}

int Compilation::explainPlan(const Program &program) {
  printChoice();
  unsigned columns = llvm::sys::Process::StandardOutColumns();
  return printPlanned(program, "addresses", [&](plc::plan::ProgramOp planned, llvm::raw_ostream &os) {
    plc::plan::print(explanationOf(planned), columns ? columns : 100, os);
  });
}

FailureOr<plc::module::EntryPlan> Compilation::provenTable(ModuleOp module) {
  PassErrors errors(sources, context, llvm::errs(), strategy.locations());
  auto program = *module.getOps<plc::plan::ProgramOp>().begin();
  plc::plan::RouteTable routes(program);
  plc::plan::TaskSlots slots(program, routes);
  auto table = plc::plan::buildActionTable(program, slots);
  // `plan-verify` in the pipeline has proven the limit of memory.
  if (succeeded(table) && succeeded(plc::plan::proveActionTable(*table, program, slots, /*limitBytes=*/0)))
    return table;
  code = codeOf(errors);
  return failure();
}

/// The folder that keeps compiled kernels; empty: none.
static std::string objectFolder() {
  const char *none = std::getenv("PLC_NO_OBJECT_CACHE");
  return none && *none ? "" : plc::cacheFolder() + "/objects";
}

int Compilation::printUpdate() {
  UpdateCompiler update(strategy, context);
  for (auto [form, declared] : llvm::enumerate(update.optimizer().forms)) {
    // Rules on whole tensors need a shape: any of as many axes as they name.
    std::vector<int64_t> shape(declared.numAxes, 64);
    if (!update.lower(form, shape, options.emit))
      return update.exitCode();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  update.print(stream);
  return write(text);
}

int Compilation::writeModule() {
  plc::codegen::ModuleRequest request;
  plc::module::Manifest &manifest = request.manifest;
  manifest.model = SymbolTable::getSymbolName(subject()).str();
  auto written = subject()->getLoc()->findInstanceOf<FileLineColLoc>();
  manifest.source = llvm::sys::path::filename(ir && written ? written.getFilename().strref() : options.model).str();
  // IR has passed the phases that fix its numerics, so it keeps the key that they recorded.
  if (ir)
    manifest.numericsKey = ir->provenance.numericsKey;
  manifest.real = plc::rowOf(strategy.get(keys::precisionCompute)).real;
  manifest.threadsPerStage = strategy.get(keys::machineThreadsPerStage);
  manifest.transport = strategy.get(keys::machineTransport);
  manifest.profiling = strategy.get(keys::profiling);
  request.features = plc::codegen::featuresOf(strategy.get(keys::machineIsa));
  request.objectFolder = objectFolder();
  manifest.optimizer = plc::strategy::optimizerOf(strategy);
  manifest.rates = strategy.rates();
  std::vector<OwningOpRef<ModuleOp>> lowered;
  for (const plc::algebra::Entry &entry : entries()) {
    Program program{entry.program, entry.outputs};
    program.leads = leads(program);
    program.sharesModule = true;
    // The first entry sets the numerics key of the module. Later entries find it set and keep it.
    OwningOpRef<ModuleOp> module = kept(lowering->lower(program, manifest.numericsKey));
    if (!module)
      return code;
    auto table = provenTable(*module);
    if (failed(table))
      return code;
    table->name = entry.name();
    request.entries.push_back({std::move(*table), *module});
    // The log gets the plan of the first entry: `train`, if the model has a loss.
    for (auto planned : module->getOps<plc::plan::ProgramOp>())
      if (manifest.planJson.empty()) {
        plc::plan::PlanSummary summary = plc::plan::summarize(planned);
        addRun(planned, request.entries.back().table, summary);
        if (!compareWithNone(program, summary))
          return code;
        summary.numericsKey = manifest.numericsKey;
        manifest.planJson = plc::module::writePlan(summary);
      }
    // The writer refers to the modules until the code is compiled.
    lowered.push_back(std::move(module));
  }
  bool isTrained = llvm::any_of(request.entries, [](const auto &entry) { return entry.table.trains(); });
  if (isTrained && !update->addTo(request))
    return update->exitCode();
  PassErrors errors(sources, context, llvm::errs(), strategy.locations());
  plc::codegen::ModuleWriter writer(request);
  if (failed(writer.compile()))
    return codeOf(errors);
  if (emit.value_or(Emit::module) == Emit::module) {
    if (options.output.empty())
      return reportError(BadUsage, "a module is written to a file: add -o OUT.plcm");
    return succeeded(writer.writeShared(options.output)) ? Done : codeOf(errors);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(emit == Emit::llvm ? writer.printLLVM(stream) : writer.writeObject(stream)))
    return codeOf(errors);
  return write(text);
}

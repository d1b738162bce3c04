//===- Compile.cpp - what plc-compile does --------------------------------===//
#include "plc/Driver/Compile.h"

#include "Compilation.h"
#include "ImportSource.h"
#include "MachineRates.h"
#include "OtherKeys.h"
#include "Output.h"
#include "SignOfLife.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Language/Files/ParseModel.h"
#include "plc/Strategy/ApplyGroups.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/ErrorLimit.h"
#include "plc/Support/Errors.h"
#include "plc/Support/KeyLocations.h"
#include "plc/Support/ResultName.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace plc::driver;
using plc::ExitCode;
using plc::PhaseKind;
using enum plc::ExitCode;
using plc::language::PassErrors;
using plc::strategy::Strategy;
namespace keys = plc::keys;

/// Why a file cannot be written, or no error; asked before the work is done.
static std::error_code cannotWrite(StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status))
    return llvm::sys::fs::is_directory(status) ? std::make_error_code(std::errc::is_a_directory)
                                               : llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
  // A file that does not exist yet needs a folder in which it can be created.
  StringRef parent = llvm::sys::path::parent_path(path), folder = parent.empty() ? "." : parent;
  if (std::error_code error = llvm::sys::fs::status(folder, status))
    return error;
  return llvm::sys::fs::is_directory(status) ? llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write)
                                             : std::make_error_code(std::errc::not_a_directory);
}

int Compilation::parse() {
  if (ir) {
    model = std::move(ir->module);
    return checkIR();
  }
  if (imported) {
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(*imported, options.model), llvm::SMLoc());
  } else {
    auto buffer = llvm::MemoryBuffer::getFile(options.model, /*IsText=*/true);
    if (!buffer)
      return reportError(BadInput, "cannot read model '" + options.model + "': " + buffer.getError().message());
    sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  }
  plc::Diagnostics diagnostics(sources);
  plc::language::ParseOptions parsed{options.overrides, options.entry, {}};
  // A value of a rule is no output of the model, so the parser must keep it for the program that asks for it.
  for (StringRef name : options.program.outputs)
    if (plc::parseResultName(name).isRuleValue())
      parsed.exposed.push_back(name.str());
  model = plc::language::parseModel(sources, context, parsed, diagnostics);
  parsed.batches = strategy.get(keys::gradientAccumulationSteps);
  // With one batch per step, the model itself is the step.
  bool isStep = !model || parsed.batches == 1;
  if (!isStep)
    step = plc::language::parseStep(sources, parsed, *model, diagnostics);
  diagnostics.print(llvm::errs());
  if (!model || !(isStep || step))
    return BadInput;
  plc::ein::setPhase(*model, PhaseKind::ein);
  if (step)
    plc::ein::setPhase(*step, PhaseKind::ein);
  return applyGroups();
}

int Compilation::applyGroups() {
  PassErrors errors(sources, context, llvm::errs(), strategy.locations());
  for (ModuleOp each : {*model, step ? *step : ModuleOp()})
    if (each && failed(plc::strategy::applyGroups(each, plc::strategy::optimizerOf(strategy), done() > PhaseKind::ein,
                                                  leadingKind() == plc::ProgramKind::train)))
      return codeOf(errors);
  return Done;
}

int Compilation::checkIR() {
  // Every message says first what the file is.
  std::string is = "'" + options.model + "' is IR of phase '" + plc::nameOfChoice(done()) + "'";
  if (!options.entry.empty() || !options.overrides.empty())
    return reportError(BadUsage, "'-D', '--config' and '--entry' apply to .ein models, but " + is);
  if (done() == PhaseKind::ein && strategy.get(keys::gradientAccumulationSteps) > 1)
    return reportError(BadUsage, "'gradient.accumulation_steps' applies to .ein models, but " + is +
                                     ", which has the samples of one batch");
  if (done() == PhaseKind::ein)
    return applyGroups();
  PhaseKind asked = emit == Emit::csv                         ? PhaseKind::schedule
                    : emit == Emit::dot || emit == Emit::json ? PhaseKind::addresses
                    : emit == Emit::ein ? PhaseKind::ein
                                        : plc::parseChoice<PhaseKind>(options.emit).value_or(PhaseKind::addresses);
  if (asked < done())
    return reportError(BadUsage, "--emit=" + options.emit + " is of phase '" + plc::nameOfChoice(asked) + "', but " +
                                     is + ", which comes later");
  using plc::strategy::ParallelismKind;
  if (strategy.get(keys::parallelismKind) == ParallelismKind::automatic)
    return reportError(
        BadUsage, "the joint plan ('parallelism.kind = \"automatic\"' or --recommend) chooses for models, but " + is);
  if (done() >= PhaseKind::partition)
    for (auto [flag, given] : {std::pair("--plan-remat-curve", options.listsBudgets), {"--explain", options.explains}})
      if (given)
        return reportError(BadUsage, Twine(flag) + " needs a model that is not cut yet, but " + is);
  if (!ir->provenance.program && !options.programGiven)
    return reportError(BadUsage, is + ", which does not say what its program is for; add --program");
  if (options.programGiven && options.program.entry != ir->provenance.program.value_or(options.program.entry))
    return reportError(BadUsage, "--program is '" + Twine(plc::nameOfChoice(options.program.entry)) + "', but " + is +
                                     ", program '" + plc::nameOfChoice(*ir->provenance.program) + "'");
  if (!options.program.outputs.empty() && options.program.outputs != ir->provenance.outputs)
    return reportError(BadUsage, "--output applies to models, but " + is + ", whose results are chosen");
  PassErrors errors(sources, context, llvm::errs(), strategy.locations());
  return succeeded(takeOver(*ir, strategy, subject())) ? applyGroups() : codeOf(errors);
}

Operation *Compilation::subject() {
  for (Operation &op : *model->getBody())
    if (isa<plc::ein::ModelOp, plc::plan::ProgramOp>(op))
      return &op;
  llvm_unreachable("a module without a model is no model's");
}

bool Compilation::hasLoss() {
  auto program = dyn_cast<plc::plan::ProgramOp>(subject());
  ArrayAttr names = program ? program.getResultNames() : cast<plc::ein::ModelOp>(subject()).getResultNames();
  return plc::ein::hasName(names, plc::lossName);
}

// A model of inputs alone has gradients of them, but no step.
bool Compilation::canTrain() {
  auto model = dyn_cast<plc::ein::ModelOp>(subject());
  return trains() && (!model || llvm::any_of(model->getParentOfType<ModuleOp>().getOps<plc::ein::ParamOp>(),
                                             [](plc::ein::ParamOp param) { return !param.getFrozen(); }));
}

std::vector<plc::algebra::Entry> Compilation::entries() {
  if (done() == PhaseKind::ein)
    return plc::algebra::entriesOf(cast<plc::ein::ModelOp>(subject()), canTrain(), options.program.outputs);
  return {{ir->provenance.program.value_or(options.program.entry), ir->provenance.outputs}};
}

int Compilation::codeOf(const PassErrors &errors) {
  if (errors.getExitCode() == Internal)
    return reportError(Internal, "internal error: a pass failed without an error");
  return errors.getExitCode();
}

int Compilation::choose() {
  isJoint = isAutomatic();
  Program leading{leadingKind(), {}};
  // The plan is needed by the leading program, by a module, or, if it is a joint plan, by every program: others use its
  // ranks. A byte budget or a schedule is searched for each program by itself.
  bool isWritten = !options.output.empty() && (options.emit.empty() || emit == Emit::module);
  leading.sharesModule = isWritten;
  bool isNeeded = isJoint || isWritten || !options.programGiven || options.program.entry == leading.entry;
  if (!isNeeded || !isSearched(leading, strategy))
    return Done;
  const Strategy given = strategy;
  if (int failed = planAutomatically(models(), done(), leading, sources, strategy, automatic, llvm::errs()))
    return failed;
  if (!isJoint)
    return Done;
  // Other keys take more searches, which only a reader of a report wants.
  if (options.recommend || (options.output.empty() && options.emit.empty()))
    tryOtherKeys(models(), leading, sources, given, automatic);
  if (!options.recommend && (!options.output.empty() || !options.emit.empty()))
    llvm::errs() << "plc-compile: chosen: " << describe(automatic) << "\n";
  return Done;
}

int Compilation::run() {
  applyDefaultTimingManagerCLOptions(timing);
  timed = timing.getRootScope();
  if (options.showsUpdate)
    return printUpdate();
  if (int failed = parse())
    return failed;
  SmallVector<ModuleOp> trained{*model};
  if (step)
    trained.push_back(*step);
  if (leadingKind() == plc::ProgramKind::train && !update.emplace(strategy, context).prepare(trained, sources))
    return update->exitCode();
  if (std::error_code error = options.output.empty() ? std::error_code() : cannotWrite(options.output))
    return reportError(BadInput, "cannot write '" + options.output + "': " + error.message());
  // After all checks of the request: an error shall not wait for a measurement.
  if (options.rates == RatesSource::measured && !strategy.isGiven(keys::machineRates))
    machineRates(strategy.get(keys::machineIsa), [&](StringRef text) { return strategy.useRates(text); });
  if (int failed = done() < PhaseKind::partition && !options.listsBudgets ? choose() : Done)
    return failed;
  if (options.recommend)
    return recommend();
  // Remarks start after the search: those of its trial plans have no reader.
  if (std::string wrong = reportRemarks(context); !wrong.empty())
    return reportError(BadInput, wrong);
  lowering.emplace(models(), strategy, sources, &timed, llvm::errs(), done());
  Program program = options.program;
  if (done() > PhaseKind::ein) {
    program.entry = ir->provenance.program.value_or(program.entry);
    program.outputs = ir->provenance.outputs;
  } else if (!options.programGiven && (!program.outputs.empty() || !hasLoss() || !canTrain()))
    program.entry = plc::ProgramKind::infer;
  PassErrors keyErrors(sources, context, llvm::errs(), strategy.locations());
  // Programs of IR and of options may contradict the strategy.
  if (program.entry == plc::ProgramKind::train && !trains()) {
    plc::emitKeyError(subject(), keys::gradientKind.path,
                      "'gradient.kind' is \"none\" but program 'train' needs gradients; write \"full\"");
    return codeOf(keyErrors);
  }
  program.leads = leads(program);
  if (ir)
    for (const std::string &key : findLateKeys(*ir, program, strategy))
      llvm::errs() << "plc-compile: warning: '" << key << "' changes nothing: phases read it that '" << options.model
                   << "' of phase '" << plc::nameOfChoice(done()) << "' has behind it\n";
  if (options.printPipeline) {
    std::vector<Phase> phases = phasesOf(program, strategy);
    auto behind = done() == PhaseKind::ein ? ArrayRef<Phase>() : phasesUpTo(phases, plc::nameOfChoice(done()));
    llvm::outs() << pipelineText(phasesUpTo(phases, options.emit).drop_front(behind.size())) << "\n";
    return Done;
  }
  if (options.listsBudgets)
    return listBudgets(models(), done(), program, sources, strategy, llvm::outs(), llvm::errs());
  if (options.explains)
    return explainPlan(program);
  if (options.emit.empty())
    return options.output.empty() ? printPlan(program) : writeModule();
  if (emit) {
    switch (*emit) {
    case Emit::ein: return print(models().of(program.entry));
    case Emit::einSource: llvm_unreachable("written before it is compiled");
    case Emit::csv: return printPlanned(program, "schedule", plc::plan::printSchedule);
    case Emit::dot:
      return printPlanned(program, "addresses", [](plc::plan::ProgramOp planned, llvm::raw_ostream &os) {
        plc::plan::printDot(plc::plan::summarize(planned), os);
      });
    case Emit::json:
      return printPlanned(program, "addresses", [&](plc::plan::ProgramOp planned, llvm::raw_ostream &os) {
        plc::plan::printJson(explanationOf(planned), os);
      });
    case Emit::llvm:
    case Emit::object:
    case Emit::module: return writeModule();
    }
  }
  OwningOpRef<ModuleOp> module = lower(program, options.emit);
  return module ? print(*module) : code;
}

const std::vector<std::string> &plc::driver::emitNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names = {plc::nameOfChoice(Emit::ein)};
    // Phases have the same names under every strategy, so the default one lists them.
    for (const Phase &phase : phasesOf({}, *Strategy::load("plc-compile", "", {}, llvm::errs())))
      names.push_back(phase.name);
    for (Emit emit : {Emit::llvm, Emit::object, Emit::module, Emit::csv, Emit::dot, Emit::json, Emit::einSource})
      names.push_back(plc::nameOfChoice(emit));
    return names;
  }();
  return names;
}

/// Reads the model as IR, if it is IR; false after an error.
static bool readGivenIR(const std::string &model, llvm::SourceMgr &sources, MLIRContext &context,
                        std::optional<GivenIR> &ir) {
  auto buffer = llvm::MemoryBuffer::getFile(model, /*IsText=*/true);
  if (!buffer || !isIR(**buffer))
    return true; // the parser of models reports what is wrong with it
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  plc::KeyLocations none;
  none.tool = "plc-compile";
  PassErrors errors(sources, context, llvm::errs(), none);
  ir = readIR(sources, context);
  return ir.has_value();
}

int plc::driver::compile(const CompileOptions &options) {
  plc::mostErrors = options.errorLimit ? options.errorLimit : SIZE_MAX;
  llvm::SourceMgr sources;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<plc::ein::EinDialect, plc::plan::PlanDialect>();
  context.printOpOnDiagnostic(false); // users know lines of the model, not IR
  std::optional<GivenIR> ir;
  std::optional<std::string> imported;
  if (isImported(options.model)) {
    if (int code = importSource(options, imported); code != Done || !imported)
      return code;
  } else if (int code = refuseImportOptions(options)) {
    return code;
  } else if (!readGivenIR(options.model, sources, context, ir))
    return BadInput;
  std::vector<std::string> sets = options.sets;
  if (options.recommend)
    sets.push_back("parallelism.kind=automatic");
  auto strategy = Strategy::load("plc-compile", options.strategy, sets, llvm::errs());
  if (!strategy)
    return BadUsage;
  if (options.explainStrategy) {
    strategy->explain(llvm::outs());
    return Done;
  }
  int code = 0;
  {
    SignOfLife tells;
    code = Compilation(options, std::move(*strategy), sources, context, std::move(ir), std::move(imported)).run();
  }
  llvm::outs().flush();
  // A full disk or a closed pipe shows only when the stream is flushed.
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    return reportError(BadInput, "cannot write to the standard output: " + error.message());
  }
  return code;
}

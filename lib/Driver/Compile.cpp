//===- Compile.cpp - what plc-compile does --------------------------------===//
#include "plc/Driver/Compile.h"

#include "Automatic.h"
#include "GivenIR.h"
#include "Lowering.h"
#include "MachineRates.h"
#include "OtherKeys.h"
#include "Output.h"
#include "SignOfLife.h"

#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Codegen/Target.h"
#include "plc/Codegen/WriteModule.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Language/Files/ParseModel.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planning/Report/Explain.h"
#include "plc/Planning/Report/Summary.h"
#include "plc/Planning/Schedule/PredictStep.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/CacheFolder.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/ErrorLimit.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ExitCodes.h"
#include "plc/Support/KeyPlaces.h"
#include "plc/Support/ResultName.h"
#include "plc/Support/WholeFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace plc::driver;
using plc::ExitCode;
using plc::PhaseKind;
using enum plc::ExitCode;
using plc::language::PassErrors;
using plc::strategy::Strategy;

namespace {

int fail(ExitCode code, const Twine &text) {
  llvm::errs() << "plc-compile: error: " << text << "\n";
  return code;
}

/// Why a file cannot be written, or no error; asked before the work is done.
std::error_code cannotWrite(StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status))
    return llvm::sys::fs::is_directory(status) ? std::make_error_code(std::errc::is_a_directory)
                                               : llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
  StringRef parent = llvm::sys::path::parent_path(path), folder = parent.empty() ? "." : parent;
  if (std::error_code error = llvm::sys::fs::status(folder, status))
    return error;
  return llvm::sys::fs::is_directory(status) ? llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write)
                                             : std::make_error_code(std::errc::not_a_directory);
}

/// The folder that keeps compiled kernels; empty: none.
std::string objectFolder() {
  const char *none = std::getenv("PLC_NO_OBJECT_CACHE");
  return none && *none ? "" : plc::cacheFolder() + "/objects";
}

/// One compilation: the parsed model and everything needed to lower it.
class Compilation {
public:
  Compilation(const CompileOptions &options, Strategy strategy, llvm::SourceMgr &sources, MLIRContext &context,
              std::optional<GivenIR> ir)
      : options(options), emit(plc::parseChoice<Emit>(options.emit)), strategy(std::move(strategy)), sources(sources),
        context(context), ir(std::move(ir)) {}

  int run();

private:
  /// Reads the model, and a second one with all samples of a step if the strategy accumulates batches.
  int parse();
  /// Refuses requests that the phase of given IR has behind it.
  int checkIR();
  PhaseKind done() const { return ir ? ir->phase : PhaseKind::ein; }
  /// The model, or the program that it has become.
  Operation *subject();
  /// The programs of the module to write; those of IR is the one that it holds.
  std::vector<plc::algebra::Entry> entries();
  bool hasLoss();
  Models models() { return {*model, step ? *step : *model}; }
  bool trains() const {
    using plc::strategy::GradientKind;
    return strategy.getChoice<GradientKind>("gradient.kind") != GradientKind::none;
  }
  /// Whether stages and cuts are chosen for this program: `train` if there is one, else `infer` with all outputs.
  bool leads(const Program &program) { return program.entry == leadingKind() && program.outputs.empty(); }
  plc::ProgramKind leadingKind() { return hasLoss() && trains() ? plc::ProgramKind::train : plc::ProgramKind::infer; }
  int codeOf(const PassErrors &errors);
  /// Whether the search chooses stages, micro-batches and the order.
  bool isAutomatic() const {
    using plc::strategy::ParallelismKind;
    return strategy.getChoice<ParallelismKind>("parallelism.kind") == ParallelismKind::automatic;
  }
  /// Searches for the plan of the leading program, if it needs one, and prints to stderr what was chosen unless the
  /// plan is printed anyway.
  int choose();
  /// Writes the strategy of the chosen plan, with a report as comment.
  int recommend();
  /// A program lowered up to `last`; null after an error, which is in `code`.
  OwningOpRef<ModuleOp> lower(const Program &program, StringRef last) { return kept(lowering->lower(program, last)); }
  OwningOpRef<ModuleOp> kept(OwningOpRef<ModuleOp> module) {
    if (!module)
      code = lowering->exitCode();
    return module;
  }
  /// Adds to a summary what the program would take without recomputation; false after an error.
  bool compareWithNone(const Program &program, plc::plan::PlanSummary &summary);
  /// Prints what the joint plan was chosen among.
  void printChoice();
  int printPlan(const Program &program);
  /// Writes what `print` prints of a program lowered up to `last`.
  int printPlanned(const Program &program, StringRef last,
                   llvm::function_ref<void(plc::plan::ProgramOp, llvm::raw_ostream &)> print);
  /// Prints why the plan is as it is, as wide as the terminal.
  int explainPlan(const Program &program);
  plc::plan::Explanation explanationOf(plc::plan::ProgramOp planned) const {
    return plc::plan::explain(planned, strategy.get<int64_t>("memory.budget"));
  }
  /// The action table of a planned module, proven. The same table is written to the module file.
  FailureOr<plc::module::EntryPlan> provenTable(ModuleOp module);
  /// Adds the played step and the memory of the process to a summary.
  void addRun(plc::plan::ProgramOp program, const plc::module::EntryPlan &table,
              plc::plan::PlanSummary &summary) const {
    summary.playedNs = playedNs(strategy, program, table);
    summary.process =
        plc::module::processMemory(table, plc::module::allRanks(table), threadsOf(strategy), /*codeBytes=*/0);
  }
  int writeModule();
  int print(ModuleOp module);
  int write(StringRef text);

  const CompileOptions &options;
  std::optional<Emit> emit; // nothing: a phase, or no --emit
  Strategy strategy;
  llvm::SourceMgr &sources;
  MLIRContext &context;
  std::optional<GivenIR> ir;         // if the model was given as IR
  OwningOpRef<ModuleOp> model, step; // `step` has the samples of all batches that a step accumulates
  std::optional<Lowering> lowering;  // of both
  AutomaticPlan automatic;           // if a plan was searched
  bool isJoint = false;              // the search chose cuts, ranks and micro-batches, too
  int code = Done;
  DefaultTimingManager timing; // of all programs, with `--mlir-timing`
  TimingScope timed;
};

int Compilation::parse() {
  if (ir) {
    model = std::move(ir->module);
    return checkIR();
  }
  auto buffer = llvm::MemoryBuffer::getFile(options.model, /*IsText=*/true);
  if (!buffer)
    return fail(BadInput, "cannot read model '" + options.model + "': " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  plc::Diagnostics diagnostics(sources);
  plc::language::ParseOptions parsed{options.overrides, options.entry, {}};
  for (StringRef name : options.program.outputs)
    if (plc::parseResultName(name).isRuleValue())
      parsed.exposed.push_back(name.str());
  model = plc::language::parseModel(sources, context, parsed, diagnostics);
  parsed.batches = strategy.get<int64_t>("gradient.accumulation_steps");
  bool isStep = !model || parsed.batches == 1;
  if (!isStep)
    step = plc::language::parseStep(sources, parsed, *model, diagnostics);
  diagnostics.print(llvm::errs());
  if (!model || !(isStep || step))
    return BadInput;
  plc::ein::setPhase(*model, PhaseKind::ein);
  if (step)
    plc::ein::setPhase(*step, PhaseKind::ein);
  return Done;
}

int Compilation::checkIR() {
  // Every message says first what the file is.
  std::string is = "'" + options.model + "' is IR of phase '" + plc::nameOfChoice(done()) + "'";
  if (!options.entry.empty() || !options.overrides.empty())
    return fail(BadUsage, "'-D' and '--entry' apply to .ein models, but " + is);
  if (done() == PhaseKind::ein && strategy.get<int64_t>("gradient.accumulation_steps") > 1)
    return fail(BadUsage, "'gradient.accumulation_steps' applies to .ein models, but " + is +
                              ", which has the samples of one batch");
  if (done() == PhaseKind::ein)
    return Done;
  PhaseKind asked = emit == Emit::csv                         ? PhaseKind::schedule
                    : emit == Emit::dot || emit == Emit::json ? PhaseKind::addresses
                    : emit == Emit::ein ? PhaseKind::ein
                                        : plc::parseChoice<PhaseKind>(options.emit).value_or(PhaseKind::addresses);
  if (asked < done())
    return fail(BadUsage, "--emit=" + options.emit + " is of phase '" + plc::nameOfChoice(asked) + "', but " + is +
                              ", which comes later");
  using plc::strategy::ParallelismKind;
  if (strategy.getChoice<ParallelismKind>("parallelism.kind") == ParallelismKind::automatic)
    return fail(BadUsage,
                "the joint plan ('parallelism.kind = \"automatic\"' or --recommend) chooses for models, but " + is);
  if (done() >= PhaseKind::partition)
    for (auto [flag, given] : {std::pair("--plan-remat-curve", options.listsBudgets), {"--explain", options.explains}})
      if (given)
        return fail(BadUsage, Twine(flag) + " needs a model that is not cut yet, but " + is);
  if (!ir->provenance.program && !options.programGiven)
    return fail(BadUsage, is + ", which does not say what its program is for; add --program");
  if (options.programGiven && options.program.entry != ir->provenance.program.value_or(options.program.entry))
    return fail(BadUsage, "--program is '" + Twine(plc::nameOfChoice(options.program.entry)) + "', but " + is +
                              ", program '" + plc::nameOfChoice(*ir->provenance.program) + "'");
  if (!options.program.outputs.empty() && options.program.outputs != ir->provenance.outputs)
    return fail(BadUsage, "--output applies to models, but " + is + ", whose results are chosen");
  PassErrors errors(sources, context, llvm::errs(), strategy.places());
  return succeeded(takeOver(*ir, strategy, subject())) ? Done : codeOf(errors);
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
  return llvm::is_contained(names.getAsValueRange<StringAttr>(), StringRef(plc::lossName));
}

std::vector<plc::algebra::Entry> Compilation::entries() {
  if (done() == PhaseKind::ein)
    return plc::algebra::entriesOf(cast<plc::ein::ModelOp>(subject()), trains(), options.program.outputs);
  return {{ir->provenance.program.value_or(options.program.entry), ir->provenance.outputs}};
}

int Compilation::codeOf(const PassErrors &errors) {
  if (errors.getExitCode() == Internal)
    return fail(Internal, "internal error: a pass failed without an error");
  return errors.getExitCode();
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
    // Iterations that run again are part of the kernels that run them, so only the difference shows them.
    summary.addedFlops += summary.flops - none.flops;
    summary.flops = none.flops;
  }
  return true;
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
  PassErrors errors(sources, context, llvm::errs(), strategy.places());
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

int Compilation::writeModule() {
  plc::codegen::ModuleRequest request;
  plc::module::Manifest &manifest = request.manifest;
  manifest.model = SymbolTable::getSymbolName(subject()).str();
  auto written = subject()->getLoc()->findInstanceOf<FileLineColLoc>();
  manifest.source = llvm::sys::path::filename(ir && written ? written.getFilename().strref() : options.model).str();
  if (ir)
    manifest.numericsKey = ir->provenance.numericsKey;
  manifest.real = plc::rowOf(strategy.getChoice<plc::Precision>("precision.compute")).real;
  manifest.threadsPerStage = strategy.get<int64_t>("machine.threads_per_stage");
  manifest.transport = strategy.getChoice<plc::TransportKind>("machine.transport");
  manifest.profiling = strategy.get<bool>("profiling");
  request.features = plc::codegen::featuresOf(strategy.getChoice<plc::InstructionSet>("machine.isa"));
  request.objectFolder = objectFolder();
  manifest.optimizer = plc::strategy::optimizerOf(strategy);
  manifest.rates = strategy.rates();
  std::vector<OwningOpRef<ModuleOp>> lowered;
  for (const plc::algebra::Entry &entry : entries()) {
    Program program{entry.program, entry.outputs};
    program.leads = leads(program);
    program.sharesModule = true;
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
    lowered.push_back(std::move(module));
  }
  PassErrors errors(sources, context, llvm::errs(), strategy.places());
  plc::codegen::ModuleWriter writer(request);
  if (failed(writer.compile()))
    return codeOf(errors);
  if (emit.value_or(Emit::module) == Emit::module) {
    if (options.output.empty())
      return fail(BadUsage, "a module is written to a file: add -o OUT.plcm");
    return succeeded(writer.writeShared(options.output)) ? Done : codeOf(errors);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(emit == Emit::llvm ? writer.printLLVM(stream) : writer.writeObject(stream)))
    return codeOf(errors);
  return write(text);
}

int Compilation::run() {
  applyDefaultTimingManagerCLOptions(timing);
  timed = timing.getRootScope();
  if (int failed = parse())
    return failed;
  if (std::error_code error = options.output.empty() ? std::error_code() : cannotWrite(options.output))
    return fail(BadInput, "cannot write '" + options.output + "': " + error.message());
  // After all checks of the request: an error shall not wait for a measurement.
  if (options.rates == RatesSource::measured && !strategy.isGiven("machine.rates"))
    machineRates(strategy.getChoice<plc::InstructionSet>("machine.isa"),
                 [&](StringRef text) { return strategy.useRates(text); });
  if (int failed = done() < PhaseKind::partition && !options.listsBudgets ? choose() : Done)
    return failed;
  if (options.recommend)
    return recommend();
  // Remarks start after the search: those of its trial plans have no reader.
  if (std::string wrong = reportRemarks(context); !wrong.empty())
    return fail(BadInput, wrong);
  lowering.emplace(models(), strategy, sources, &timed, llvm::errs(), done());
  Program program = options.program;
  if (done() > PhaseKind::ein) {
    program.entry = ir->provenance.program.value_or(program.entry);
    program.outputs = ir->provenance.outputs;
  } else if (!options.programGiven && (!program.outputs.empty() || !hasLoss() || !trains()))
    program.entry = plc::ProgramKind::infer;
  PassErrors keyErrors(sources, context, llvm::errs(), strategy.places());
  // Programs of IR and of options may contradict the strategy.
  if (program.entry == plc::ProgramKind::train && !trains()) {
    plc::emitKeyError(subject(), "gradient.kind",
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

} // namespace

int plc::driver::writeOutput(const std::string &path, StringRef text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    return Done;
  }
  if (std::error_code error = plc::writeWhole(text, path))
    return fail(BadInput, "cannot write '" + path + "': " + error.message());
  return Done;
}

const std::vector<std::string> &plc::driver::emitNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names = {plc::nameOfChoice(Emit::ein)};
    // Every strategy has the same phases.
    for (const Phase &phase : phasesOf({}, *Strategy::load("plc-compile", "", {}, llvm::errs())))
      names.push_back(phase.name);
    for (Emit emit : {Emit::llvm, Emit::object, Emit::module, Emit::csv, Emit::dot, Emit::json})
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
  plc::KeyPlaces none;
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
  if (!readGivenIR(options.model, sources, context, ir))
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
    code = Compilation(options, std::move(*strategy), sources, context, std::move(ir)).run();
  }
  llvm::outs().flush();
  // A full disk or a closed pipe shows only when the stream is flushed.
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    return fail(BadInput, "cannot write to the standard output: " + error.message());
  }
  return code;
}

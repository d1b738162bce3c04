//===- Compilation.h - one compilation and its results ----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_COMPILATION_H
#define PLC_LIB_DRIVER_COMPILATION_H

#include "Automatic.h"
#include "CompileUpdate.h"
#include "GivenIR.h"
#include "Lowering.h"

#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Driver/Compile.h"
#include "plc/Driver/MachineModel.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Planning/Report/Explain.h"
#include "plc/Planning/Report/Summary.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/ExitCodes.h"

#include "mlir/Support/Timing.h"
#include "llvm/Support/SourceMgr.h"

namespace plc::driver {

/// One compilation: the parsed model and everything needed to lower it.
class Compilation {
public:
  Compilation(const CompileOptions &options, strategy::Strategy strategy, llvm::SourceMgr &sources,
              mlir::MLIRContext &context, std::optional<GivenIR> ir, std::optional<std::string> imported)
      : options(options), emit(parseChoice<Emit>(options.emit)), strategy(std::move(strategy)), sources(sources),
        context(context), ir(std::move(ir)), imported(std::move(imported)) {}

  int run();

private:
  /// Reads the model, and a second one with all samples of a step if the strategy accumulates batches.
  int parse();
  int applyGroups();
  /// Refuses requests that the phase of given IR has behind it.
  int checkIR();
  PhaseKind done() const { return ir ? ir->phase : PhaseKind::ein; }
  /// The model, or the program that it has become.
  mlir::Operation *subject();
  /// The programs of the module to write; those of IR is the one that it holds.
  std::vector<algebra::Entry> entries();
  /// Whether the model returns a loss, so that it can be trained.
  bool hasLoss();
  Models models() { return {*model, step ? *step : *model}; }
  bool trains() const {
    using strategy::GradientKind;
    return strategy.get(keys::gradientKind) != GradientKind::none;
  }
  /// Whether there is something to train: `train` is a program of the model.
  bool canTrain();
  /// Whether stages and cuts are chosen for this program: `train` if there is one, else `infer` with all outputs.
  bool leads(const Program &program) { return program.entry == leadingKind() && program.outputs.empty(); }
  ProgramKind leadingKind() { return hasLoss() && canTrain() ? ProgramKind::train : ProgramKind::infer; }
  /// The exit code of what a pass reported. A pass that failed without an error is an internal error.
  int codeOf(const language::PassErrors &errors);
  /// Whether the search chooses stages, micro-batches and the order.
  bool isAutomatic() const {
    using strategy::ParallelismKind;
    return strategy.get(keys::parallelismKind) == ParallelismKind::automatic;
  }
  /// Searches for the plan of the leading program, if it needs one, and prints to stderr what was chosen unless the
  /// plan is printed anyway.
  int choose();
  /// Writes the strategy of the chosen plan, with a report as comment.
  int recommend();
  /// A program lowered up to `last`; null after an error, which is in `code`.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef last) {
    return kept(lowering->lower(program, last));
  }
  mlir::OwningOpRef<mlir::ModuleOp> kept(mlir::OwningOpRef<mlir::ModuleOp> module) {
    if (!module)
      code = lowering->exitCode();
    return module;
  }
  /// Adds to a summary what the program would take without recomputation; false after an error.
  bool compareWithNone(const Program &program, plan::PlanSummary &summary);
  /// Prints what the joint plan was chosen among.
  void printChoice();
  int printPlan(const Program &program);
  /// Writes what `print` prints of a program lowered up to `last`.
  int printPlanned(const Program &program, llvm::StringRef last,
                   llvm::function_ref<void(plan::ProgramOp, llvm::raw_ostream &)> print);
  /// Prints why the plan is as it is, as wide as the terminal.
  int explainPlan(const Program &program);
  plan::Explanation explanationOf(plan::ProgramOp planned) const {
    return plan::explain(planned, strategy.get(keys::memoryBudget));
  }
  /// The action table of a planned module, proven. The same table is written to the module file.
  mlir::FailureOr<module::EntryPlan> provenTable(mlir::ModuleOp module);
  /// Adds the played step and the memory of the process to a summary.
  void addRun(plan::ProgramOp program, const module::EntryPlan &table, plan::PlanSummary &summary) const {
    summary.playedNs = playedNs(strategy, program, table);
    summary.process = module::processMemory(table, module::allRanks(table), threadsOf(strategy), /*codeBytes=*/0);
  }
  /// Writes the module file, or its code as LLVM IR or as an object file.
  int writeModule();
  /// Writes the rules of the optimizer as IR of a phase.
  int printUpdate();
  int print(mlir::ModuleOp module);
  int write(llvm::StringRef text);

  const CompileOptions &options;
  std::optional<Emit> emit; // none: a phase, or no request
  strategy::Strategy strategy;
  llvm::SourceMgr &sources;
  mlir::MLIRContext &context;
  std::optional<GivenIR> ir;                     // that the model was given as
  std::optional<std::string> imported;           // the rules of a model of another system
  mlir::OwningOpRef<mlir::ModuleOp> model, step; // the latter of several batches, if a step has them
  std::optional<Lowering> lowering;              // of both
  std::optional<UpdateCompiler> update;          // if there is something to train
  AutomaticPlan automatic;                       // if the strategy asks for a search
  bool isJoint = false;                          // of cuts, ranks and micro-batches, too
  int code = ExitCode::Done;
  mlir::DefaultTimingManager timing; // of all programs, if `--mlir-timing` asks
  mlir::TimingScope timed;
};

} // namespace plc::driver

#endif

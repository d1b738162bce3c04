//===- Compilation.h - one compilation and its results ----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_COMPILATION_H
#define PLC_LIB_DRIVER_COMPILATION_H

#include "Automatic.h"
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
              mlir::MLIRContext &context, std::optional<GivenIR> ir)
      : options(options), emit(parseChoice<Emit>(options.emit)), strategy(std::move(strategy)), sources(sources),
        context(context), ir(std::move(ir)) {}

  int run();

private:
  int parse();
  /// Of IR: what was asked for that its phase has behind it.
  int checkIR();
  PhaseKind done() const { return ir ? ir->phase : PhaseKind::ein; }
  /// The model, or the program that was made of it.
  mlir::Operation *subject();
  std::vector<algebra::Entry> entries();
  bool hasLoss();
  Models models() { return {*model, step ? *step : *model}; }
  bool trains() const {
    using strategy::GradientKind;
    return strategy.get(keys::gradientKind) != GradientKind::none;
  }
  /// Whether a program is the one that stages and cuts are chosen for: `train`, else `infer` of all outputs.
  bool leads(const Program &program) { return program.entry == leadingKind() && program.outputs.empty(); }
  ProgramKind leadingKind() { return hasLoss() && trains() ? ProgramKind::train : ProgramKind::infer; }
  int codeOf(const language::PassErrors &errors);
  /// Whether stages, micro-batches and the order are to be chosen.
  bool isAutomatic() const {
    using strategy::ParallelismKind;
    return strategy.get(keys::parallelismKind) == ParallelismKind::automatic;
  }
  /// Chooses them for the program that leads, and tells so where the plan is not what is printed.
  int choose();
  int recommend();
  /// A program by the phases up to `last`; null after an error, which is in `code`.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef last) {
    return kept(lowering->lower(program, last));
  }
  mlir::OwningOpRef<mlir::ModuleOp> kept(mlir::OwningOpRef<mlir::ModuleOp> module) {
    if (!module)
      code = lowering->exitCode();
    return module;
  }
  /// Adds to the summary of a program what it would take if nothing were recomputed; false after an error.
  bool compareWithNone(const Program &program, plan::PlanSummary &summary);
  /// What an automatic choice was made among.
  void printChoice();
  int printPlan(const Program &program);
  /// Writes what `print` says of a program that is planned up to a phase.
  int printPlanned(const Program &program, llvm::StringRef last,
                   llvm::function_ref<void(plan::ProgramOp, llvm::raw_ostream &)> print);
  /// Why the plan is as it is, as wide as the terminal.
  int explainPlan(const Program &program);
  plan::Explanation explanationOf(plan::ProgramOp planned) const {
    return plan::explain(planned, strategy.get(keys::memoryBudget));
  }
  /// The action table of a planned module. The very table that is written is proven.
  mlir::FailureOr<module::EntryPlan> provenTable(mlir::ModuleOp module);
  /// What a run of it takes.
  void addRun(plan::ProgramOp program, const module::EntryPlan &table, plan::PlanSummary &summary) const {
    summary.playedNs = playedNs(strategy, program, table);
    summary.process = module::processMemory(table, module::allRanks(table), threadsOf(strategy), /*codeBytes=*/0);
  }
  int writeModule();
  int print(mlir::ModuleOp module);
  int write(llvm::StringRef text);

  const CompileOptions &options;
  std::optional<Emit> emit; // none: a phase, or nothing was asked for
  strategy::Strategy strategy;
  llvm::SourceMgr &sources;
  mlir::MLIRContext &context;
  std::optional<GivenIR> ir;                     // that the model was given as
  mlir::OwningOpRef<mlir::ModuleOp> model, step; // the latter of several batches, if a step has them
  std::optional<Lowering> lowering;              // of both
  AutomaticPlan automatic;                       // if the strategy asks for a search
  bool isJoint = false;                          // of cuts, ranks and micro-batches, too
  int code = ExitCode::Done;
  mlir::DefaultTimingManager timing; // of all programs, if `--mlir-timing` asks
  mlir::TimingScope timed;
};

} // namespace plc::driver

#endif

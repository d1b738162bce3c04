//===- Lowering.h - a parsed model through its phases -----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_LOWERING_H
#define PLC_LIB_DRIVER_LOWERING_H

#include "plc/Driver/Phases.h"
#include "plc/Support/PhaseKind.h"
#include "plc/Planning/KnownAnswers.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace mlir {
class TimingScope;
}

namespace plc::driver {

/// A model as its programs have it: a training step of several batches has the extents of all its samples.
struct Models {
  mlir::ModuleOp ofBatch, ofStep;

  mlir::ModuleOp of(ProgramKind kind) const { return kind == ProgramKind::train ? ofStep : ofBatch; }
};

/// Lowers programs of a model by a strategy. Errors go to `errors`, and their exit code is kept.
class Lowering {
public:
  /// `sources` are those that the models were parsed from; `timed` is what `--mlir-timing` measures, or null where nobody
  /// watches: then the options that print IR mean nothing. The models have the phases up to `done` behind them.
  Lowering(const Models &models, const strategy::Strategy &strategy, llvm::SourceMgr &sources, mlir::TimingScope *timed,
           llvm::raw_ostream &errors, PhaseKind done = PhaseKind::ein)
      : models(models), strategy(strategy), sources(sources), timed(timed), errors(errors), done(done) {}

  /// The model lowered through the phases up to `last`, all if it is empty; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef last);
  /// The model lowered through all phases; sets the numerics key if it is empty.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, std::string &numericsKey);
  /// A model with kernels lowered through the phases behind them up to `last`, recomputing what its budget asks for.
  mlir::OwningOpRef<mlir::ModuleOp> plan(mlir::OwningOpRef<mlir::ModuleOp> module, const Program &program,
                                         llvm::StringRef last);

  /// Has plans that are tried for a budget given up where this says so of their orders. Then there may be no plan, and no
  /// error.
  void giveUpIf(std::function<bool(mlir::ModuleOp ordered)> isSlow) { isTooSlow = std::move(isSlow); }

  /// The exit code of the last error.
  int exitCode() const { return code; }

private:
  bool isDone(const Phase &phase) const { return parseChoice<PhaseKind>(phase.name) <= done; }
  bool runPhases(mlir::ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                 llvm::raw_ostream &errors);
  bool runPasses(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 const Program &program, llvm::raw_ostream &errors);
  /// A numerics program lowered through the phases behind it up to `last`: by the fastest of its variants, where a
  /// budget chooses.
  mlir::OwningOpRef<mlir::ModuleOp> planNumerics(mlir::OwningOpRef<mlir::ModuleOp> module, Program program,
                                                 llvm::StringRef last);
  /// The ways to plan a numerics program of which a budget chooses: whether the turns of long loops run again, and whether what
  /// is the same in all runs is kept. The last needs the fewest bytes.
  std::vector<Program> variantsOf(mlir::ModuleOp numerics, const Program &program);
  /// A copy of a numerics program with kernels; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> withKernels(mlir::ModuleOp numerics, const Program &program);
  /// Whether the IR is as its dialects say; errors if not.
  bool isValid(mlir::ModuleOp module);
  /// Of a plan that was tried: that its IR is valid, and its proof.
  bool prove(mlir::ModuleOp planned, const Program &program);
  /// A whole plan that was tried for a budget: by how many bytes each rank's arena is above it, or below it if less than
  /// nothing, and the predicted step. Of a plan that was given up behind its order, the step alone is known.
  struct Tried {
    std::vector<int64_t> missing;
    int64_t stepNs = 0;
    bool isWhole = true;
    std::optional<plan::BudgetCuts> budgetCuts{}; ///< that were chosen for it, if a budget chose
    bool fits() const;
  };
  /// What tells apart the plans that are tried for one program: `Program`'s `isFree`, `isPlain`, `keepsAll`, `fillsBudget`,
  /// `inFlight`, `memoryFraction`, `reserveBytes`, without zeros at the end, and `cutsTried`.
  using TriedKey = std::tuple<bool, bool, bool, bool, int64_t, std::optional<double>, std::vector<int64_t>, int64_t>;
  static TriedKey keyOf(const Program &program);
  /// An order without a budget that was given up, of which the cuts are known.
  struct FreeOrder {
    bool isPlain = false, isSlow = false; ///< the latter: as `giveUpIf` says
    plan::Cuts cuts;
    Tried tried;
  };
  /// Whether a program that keeps all values has that order, because cuts that know the budget are the same.
  bool isFreeOrder(mlir::ModuleOp module, const Program &program) const;
  /// Whether no addresses of an order keep the budget.
  bool holdsTooMuch(mlir::ModuleOp ordered) const;
  /// A copy of a module, cut into the stages of a plan that is tried; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> cutForTry(mlir::ModuleOp module, llvm::ArrayRef<Phase> phases,
                                              const Program &program, llvm::raw_ostream &errors);
  /// None after an error. A plan that succeeded once is not made again. It is given up behind its order if that is hopeless.
  std::optional<Tried> tryPlan(mlir::ModuleOp module, Program program, llvm::raw_ostream &errors,
                               llvm::function_ref<bool(mlir::ModuleOp)> isHopeless = nullptr);
  /// Sets in the program what recomputation and the order of tasks need to know so that arenas keep the budget. False
  /// after an error.
  bool fitBudget(mlir::ModuleOp module, Program &program);
  /// The plan that there is without a budget; whether it keeps the budget, which then is set in the program.
  Program freeOf(Program program) const;
  bool fitFree(mlir::ModuleOp module, Program &program);
  /// Of recomputation: that it is not needed, the bytes to reserve, or the largest fraction.
  /// No plan that computes again is looked for beyond `mostNs`.
  bool fitRecomputation(mlir::ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors);
  /// What recomputation, or an order that fills the budget, leaves for addresses; no plan that takes more than `mostNs`.
  bool fitReserve(mlir::ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors);
  /// The same of one cut: whether it fits or takes too long; none after an error.
  std::optional<bool> fitCut(mlir::ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors);
  bool fitFraction(mlir::ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors);
  /// The program with a fraction that keeps the budget, if that fits and is better than what a budget of bytes gave.
  std::optional<Program> fitByLayers(mlir::ModuleOp module, Program program, const std::optional<Tried> &byBytes);
  /// Of an order that follows times, and of recomputation with it: what ranks hold, or micro-batches in flight.
  /// False if no plan fits and one of so many micro-batches in flight was given up.
  bool fitOrder(mlir::ModuleOp module, Program &program);

  const Models models;
  const strategy::Strategy &strategy;
  llvm::SourceMgr &sources;
  mlir::TimingScope *timed;
  llvm::raw_ostream &errors;
  const PhaseKind done;
  int code = 0;
  std::function<bool(mlir::ModuleOp)> isTooSlow; ///< may be null
  bool gaveUp = false;                           ///< a plan for that
  std::map<TriedKey, Tried> knownPlans;
  std::optional<FreeOrder> freeOrder; ///< the last one
  /// The last cut of a plan that keeps all values, and the passes that made it.
  std::optional<std::pair<std::string, mlir::OwningOpRef<mlir::ModuleOp>>> knownCut;
  /// The fastest plan of those that were tried and fit, the last of equal ones.
  struct Kept {
    TriedKey key;
    int64_t stepNs = 0;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  std::optional<Kept> kept;
  std::vector<std::unique_ptr<mlir::PassManager>> pipelines; ///< that were timed
};

/// The phase behind which plans begin to differ.
inline constexpr llvm::StringLiteral lastOfNumerics = "numerics";
/// The last phase whose result is the same under every plan of a program.
inline constexpr llvm::StringLiteral lastOfModel = "kernels";

/// The phases behind `first` up to `last`; all if it is empty.
llvm::ArrayRef<Phase> phasesBetween(llvm::ArrayRef<Phase> phases, llvm::StringRef first, llvm::StringRef last);

/// Whether a module has loops whose turns are segments of longer ones', which may run them again.
bool hasSegments(mlir::ModuleOp module);

/// The predicted step of a planned module.
int64_t stepOf(mlir::ModuleOp planned);

} // namespace plc::driver

#endif

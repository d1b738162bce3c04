//===- Automatic.h - plans that are searched for ----------------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_AUTOMATIC_H
#define PLC_LIB_DRIVER_AUTOMATIC_H

#include "Lowering.h"

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Driver/Phases.h"
#include "plc/Search/Search.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::driver {

/// The outcome of a search: the chosen plan, what it was compared with, and what limits it. For reports.
struct AutomaticPlan {
  /// A plan in numbers. Times are of a step, `overBytes` is how much the ranks exceed the budget.
  struct Row {
    int64_t microBatches = 1, replicas = 1, shards = 1, ranks = 1, stages = 1;
    bool recomputes = false;
    int64_t stepNs = 0, overBytes = 0;
    bool isLike(const Row &other) const {
      return std::tie(microBatches, replicas, shards, ranks, stages, rankOf) ==
             std::tie(other.microBatches, other.replicas, other.shards, other.ranks, other.stages, other.rankOf);
    }
    std::vector<int32_t> rankOf{}; ///< by stage, if a rank has more than one
  };
  std::vector<Row> rows{}; ///< the best plan of each workload and rank map, fastest first
  std::optional<Row> chosen{};
  std::string schedule; ///< of the chosen plan
  int64_t mostRanks = 1, evaluations = 0;
  int64_t boundNs = 0;    ///< no plan on `mostRanks` ranks is faster
  int64_t leastBytes = 0; ///< if no plan fits: bytes of the fullest rank, in the plan with the smallest shortfall
  bool isAborted = false; ///< the time limit ended the search
  /// Fractions of the chosen step in percent: the work shared evenly; recomputation; the slowest rank's load above the
  /// mean; updates; and the rest, in which the slowest rank waits.
  double work = 100, again = 0, uneven = 0, waiting = 0, updates = 0;
  /// What a better plan needs more of: "ranks", "layers", "micro-batches", "batch", "memory.budget", or "work" if
  /// nothing does.
  const char *binds = "work";
  /// Other values of keys that the search does not change, with the step that they would give.
  struct Other {
    std::string sets; ///< as options, "--set gradient.lanes=4"
    int64_t ns = 0;
    bool changesBits = false;
  };
  std::vector<Other> others{};
};

/// Whether a plan is searched for: for the joint plan, under a byte budget, or for an order that follows times.
bool isSearched(const Program &program, const strategy::Strategy &strategy);

/// Searches for the plan of a program within the keys that the strategy sets (`search::search`), and writes it into the
/// strategy. The models have the phases up to `done` behind them. Returns the exit code; errors are reported to
/// `errors`. A narrow search takes its starts without moves, for comparisons.
int planAutomatically(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
                      strategy::Strategy &strategy, AutomaticPlan &plan, llvm::raw_ostream &errors,
                      bool isNarrow = false);

/// Prints what each byte less costs: for the plan without recomputation, and for ten budgets from its bytes down to the
/// least that has a plan, the bytes of the fullest rank, the step, and the time that a micro-batch recomputes beside
/// its lower bound. A plan that is no faster than one in fewer bytes is left out. Returns the exit code.
int listBudgets(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
                const strategy::Strategy &strategy, llvm::raw_ostream &out, llvm::raw_ostream &errors);

/// Prints the best plans as a table, fastest first; the fractions of the chosen step and what limits it; and other keys
/// that would help. Each line begins with `prefix`.
void print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out);

/// "2 replicas of 4 stages on 4 ranks, 8 micro-batches, zbv: step 23.8 ms".
std::string describe(const AutomaticPlan &plan);

} // namespace plc::driver

#endif

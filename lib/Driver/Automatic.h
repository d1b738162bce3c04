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

/// What the search found for a program.
struct AutomaticPlan {
  struct Row {
    int64_t microBatches = 1, replicas = 1, shards = 1, ranks = 1, stages = 1;
    bool recomputes = false;
    int64_t stepNs = 0, overBytes = 0;
    bool isLike(const Row &other) const {
      return std::tie(microBatches, replicas, shards, ranks, stages, rankOf) ==
             std::tie(other.microBatches, other.replicas, other.shards, other.ranks, other.stages, other.rankOf);
    }
    std::vector<int32_t> rankOf{}; ///< of the stages, where they are on more than one stage a rank
  };
  std::vector<Row> rows{}; ///< the best of each frame, fastest first
  std::optional<Row> chosen{};
  std::string schedule; ///< of the chosen plan
  int64_t mostRanks = 1, evaluations = 0;
  int64_t boundNs = 0;    ///< no plan on so many ranks is faster
  int64_t leastBytes = 0; ///< where no plan fits: of the fullest rank of the plan that lacks the fewest bytes
  bool isAborted = false;
  /// Parts of the chosen step, in percent of it: the work shared evenly, what is recomputed, the slowest rank's load above the
  /// mean, updates and the exchange of gradients and new values, and the rest, in which that rank waits.
  double work = 100, again = 0, uneven = 0, waiting = 0, updates = 0;
  /// What a better plan would need more of: "ranks", "layers", "micro-batches", "batch", "memory.budget", or "work" if
  /// nothing.
  const char *binds = "work";
  /// Values of keys that the search leaves as they are, and the step with them.
  struct Other {
    std::string sets; ///< as options: "--set gradient.lanes=4"
    int64_t ns = 0;
    bool changesBits = false;
  };
  std::vector<Other> others{};
};

/// Whether the plan of a program is searched for: by the joint plan, for a budget of bytes, or for an order that follows
/// times.
bool isSearched(const Program &program, const strategy::Strategy &strategy);

/// Searches for the plan of a program, within what the strategy says itself (`search::search`), and writes it into the
/// strategy. The models have the phases up to `done` behind them. Returns the exit code; what is wrong is reported to `errors`. A narrow search makes no moves.
int planAutomatically(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
                      strategy::Strategy &strategy, AutomaticPlan &plan, llvm::raw_ostream &errors,
                      bool isNarrow = false);

/// The step of a planned program, as the simulator plays it.
int64_t playedNs(const strategy::Strategy &strategy, plan::ProgramOp planned);

/// Prints what each byte less costs: for the plan without recomputation, and for ten budgets from its bytes down to the least that
/// has a plan, the bytes of the fullest rank, the step, and the time that a micro-batch recomputes beside its lower bound. A plan
/// that is no faster than one in fewer bytes is left out. Returns the exit code.
int listBudgets(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
                const strategy::Strategy &strategy, llvm::raw_ostream &out, llvm::raw_ostream &errors);

/// The best plans as a table, fastest first; what the chosen step consists of and what binds; other keys that would help. Each
/// line stands behind `prefix`.
void print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out);

/// "2 replicas of 4 stages on 4 ranks, 8 micro-batches, zbv: step 23.8 ms".
std::string describe(const AutomaticPlan &plan);

} // namespace plc::driver

#endif

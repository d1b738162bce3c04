//===- Retention.h - what is kept how long under a byte budget --*- C++ -*-===//
#ifndef PLC_PLANNER_RETENTION_H
#define PLC_PLANNER_RETENTION_H

#include "plc/Planner/Fault.h"
#include "plc/Planner/Pack.h"
#include "plc/Planner/Schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plc::planner {

/// Which calls run again, and where.
struct Retention {
  struct Clone {
    int64_t call = 0;
    int64_t before = 0; ///< the call, by number, before whose own run it runs
    bool operator==(const Clone &) const = default;
  };
  std::vector<Clone> clones; ///< in the order in which they run
};

/// The calls of a stage for one micro-batch in a fixed order, all of F before all of B before all of W, and the bytes of
/// a rank. Some run again so that the bytes that live at once fit the budget; what that takes is as little time as possible.
///
/// A run of a call makes its results anew, and whoever reads a value reads what the last run before has made. So a value
/// lives from each run of its maker to the last read before the next one: any clones behind their originals are an
/// answer, and which values are kept how long follows from them. What nothing makes (parameters, inputs, outputs' places)
/// is part of the static bytes. A result may take over the place of an operand that is read for the last time.
///
/// With d micro-batches in flight, d - 1 others hold what lives from F to B while one computes; where the schedule moves W
/// away from B, what lives from B to W if that is more.
class RetentionProblem {
public:
  struct Call {
    TaskKind kind = TaskKind::F;
    int64_t ns = 0, scratchBytes = 0;
    bool repeatable = true;
    std::vector<int64_t> args{}, results{};             ///< values
    std::vector<std::pair<int64_t, int64_t>> inPlace{}; ///< (operand, result): values; the result may take its place
    std::string name{};                                 ///< for messages
    std::string_view kernel{}, path{}; ///< instead of a name: what is called, and where; must outlive the problem

    std::string describe() const;
  };
  std::vector<int64_t> bytes; ///< of each value
  std::vector<Call> calls;
  int64_t staticBytes = 0;
  int64_t inFlight = 1;
  bool splitsBackward = false; ///< other micro-batches run between B and W
  int64_t firstClone = 0;      ///< clones run before this call or a later one
  int64_t budgetBytes = 0;     ///< everything included

  /// Whether values are made at most once, before they are read, counts are positive, and tasks follow each other.
  Fault check() const;
  /// Whether clones are of repeatable calls, in order, behind their originals, and the peak is inside the budget.
  Fault verify(const Retention &answer) const;

  /// The most bytes that the rank holds at once, and the run where that is.
  struct Peak {
    int64_t bytes = 0;
    int64_t call = -1; ///< that runs there, or before whose run the clone does that runs there
  };
  Peak peakOf(const Retention &answer) const;
  /// Bytes that a micro-batch in flight holds while another one computes.
  int64_t heldBytes(const Retention &answer) const;
  /// What each run makes, in the order of runs and of its results: alive from its run to its last read. Times are runs.
  PackProblem blocksOf(const Retention &answer) const;
  /// Time of all clones.
  int64_t addedNs(const Retention &answer) const;
  /// Time of all calls, once.
  int64_t baseNs() const;
  /// The first call behind F; all calls if there is none.
  int64_t firstBackward() const;
  /// The first call of W if other micro-batches run before it; all calls if none do.
  int64_t firstAwaitedW() const;
  /// The maker of each value, or -1.
  std::vector<int64_t> makers() const;
  /// No answer fits in less: the most that one call reads, makes and needs beside, with the static bytes and what lives then
  /// and nothing makes again. O(calls + values).
  Peak workingSet() const;
  /// "no plan fits in this order with these kernels: ..", for what does not fit at a peak.
  Reason doesNotFit(const Peak &peak) const;
};

/// Effort of a search; any is deterministic.
struct RetentionEffort {
  int64_t annealingSteps = -1; ///< -1: by the size of the problem
  int64_t exactStates = 100'000;
  int64_t windowStates = 100'000; ///< of all starts; three times as many on small problems
  int64_t beamStates = 250'000;   ///< of all beams; half as many on large problems
  int64_t sharers = 1;            ///< problems that share what goes by size
  int64_t haste = 1;              ///< so small a part of all this is taken: where many answers are compared
};

/// The least bytes that an answer can hold at its peak, as far as it is known.
struct RetentionFloor {
  /// No answer has a lower peak, because of this call; of none, -1, if that is what was asked for.
  RetentionProblem::Peak least;
  /// Of that peak, if one was found; of a higher one, maybe, with several micro-batches in flight.
  std::optional<Retention> answer;
};

/// Minimises the added time: exact where few sets of values can live. Else the best of greedy dropping, checkpoints of a
/// chain, prices of bytes and annealing, polished, then repaired and improved window by window, and by beams; and once more exactly,
/// now that all that is not cheaper need not be looked at. Fails if it finds no answer in the budget, and names the run that lacks bytes, which is
/// then `lacking`. `floor` is the problem's with its budget, if that is known.
Fault solveRetention(const RetentionProblem &problem, Retention &answer, const RetentionEffort &effort = {},
                     RetentionProblem::Peak *lacking = nullptr, const RetentionFloor *floor = nullptr);

/// Optimal: a shortest path over (calls that have run once, values that live), by A*. Stops without an answer (`found` is
/// false) above `states` of them or above 62 values. Source: the state space of Kumar et al., "Efficient Rematerialization
/// for Deep Networks", 2019, sec. 3. O(states x (calls + values)).
Fault solveRetentionExactly(const RetentionProblem &problem, int64_t states, Retention &answer, bool &found);

/// Whether no answer adds less than `ns`, by the same search; nothing if it stops.
std::optional<bool> isLeastAdded(const RetentionProblem &problem, int64_t ns, int64_t states);

/// No answer of the budget adds less time; nothing fits if it has no value, because a call needs `least`. While a call t runs for the first time, what
/// later calls read of the values made before either lives, in the bytes that t leaves, or is computed again later, from
/// what lives or is computed again, too: a knapsack over closures. Its Lagrangian relaxation is a minimum cut for each
/// price of a byte, the best price is found by cutting planes, and the largest over some t is taken; what some t need up to
/// the next of them adds up. Sees chains of dropped values. O(times^2 x prices x flow). Source: closures as cuts by
/// Picard, "Maximal closure of a graph", 1976. Or, on problems of up to some 120 calls and if that is more, what prices of bytes and operands at all calls together
/// prove, by dynamic programs over each value: sees that a value is made again between two calls, too. O(rounds x calls x
/// (values + operands)). Source: a Lagrangian relaxation (Geoffrion, 1974); the linear one is about as good.
std::optional<int64_t> retentionBound(const RetentionProblem &problem, RetentionProblem::Peak *least = nullptr);

/// The floor, or `atLeast` if that is more. Runs are undone from the last one back: what lives behind a run must live before it or
/// is what it makes, and its operands live before it. So a state is the calls that are still to be undone and what must live,
/// never more than an answer really holds, and of two states the one that needs fewer values is as good. The way back whose
/// largest run is least is a shortest path of another sum (Pollack, "The maximum capacity through a network", 1960); undoing is
/// regression, as planners do (Bonet & Geffner, "Planning as heuristic search", 2001). Optimal for one micro-batch in flight; for more a bound, as
/// the others are counted with what nothing makes again. Deterministic; where its effort ends, what it has proven so far holds.
/// Before the whole, four calls at a time, whose later ones need nothing: that suffices where a call lacks bytes for what is
/// made again for the next ones, however long the problem is. O(effort).
RetentionFloor retentionFloor(const RetentionProblem &problem, int64_t atLeast = 0);

/// The stages of one rank, each a problem with the static bytes of the rank, and the bytes that there are for all of them.
/// While one computes, each of the others holds what lives from F to B of as many micro-batches as it has in flight.
struct RankRetention {
  std::vector<RetentionProblem *> stages;
  int64_t budgetBytes = 0;

  struct Peak {
    int64_t bytes = 0;
    size_t stage = 0; ///< that computes where that is
  };
  Peak peakOf(const std::vector<Retention> &answers) const;
  /// Gives each stage's problem what the rank has beside the others under these answers, as its budget.
  void divide(const std::vector<Retention> &answers);
};

/// What lacks bytes on a rank: a call of a stage, by number, and what the rank holds while it runs.
struct RankLack {
  size_t stage = 0;
  RetentionProblem::Peak peak;
};

/// Minimises the added time of a rank whose stages share its bytes: exactly as `solveRetention` for one stage. Several
/// get their working sets and the same part of what they would hold beyond these; the largest such part with which the
/// rank keeps its budget is bisected. Heuristic. Fails if no part does, with what lacks bytes of the rank's budget in the
/// nearest of the answers that were tried.
Fault solveRankRetention(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack,
                         const RetentionEffort &effort = {});

/// Solves each of several ranks; those that are equal but for names, as where a body is repeated, once, also where they are
/// asked for again under another cut. So are the stages of ranks that differ.
class KnownRanks {
public:
  explicit KnownRanks(const RetentionEffort &effort = {}) : effort(effort) {}

  /// The ranks of a plan, which share the effort that one of them would be given: as many as are different.
  void share(const std::vector<RankRetention> &ranks);
  /// Whether a stage of the rank lacks bytes whatever runs again, even if it had the rank alone.
  bool isHopeless(const RankRetention &rank) { return lackOfStage(rank).has_value(); }
  /// As `solveRankRetention`.
  Fault solve(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack);
  /// As `retentionBound`; 0 if nothing fits, and in haste, when nobody asks how good an answer is.
  int64_t bound(const RetentionProblem &problem);

private:
  using Key = std::vector<int64_t>; ///< what an answer depends on
  struct Known {
    std::vector<Retention> answers;
    std::vector<int64_t> budgets; ///< that the stages were left with
    RankLack lack;
    Fault fault;
  };
  static void describe(const RetentionProblem &problem, Key &key);
  static Key describe(const RankRetention &rank);
  Fault solveNew(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack);
  Fault solveStage(const RetentionProblem &stage, Retention &answer, RetentionProblem::Peak *lacking);
  /// What a stage lacks alone, and so beside others.
  std::optional<RankLack> lackOfStage(const RankRetention &rank);
  const RetentionFloor &floorOf(const RetentionProblem &stage, int64_t budgetBytes);
  struct KnownStage {
    Retention answer;
    Fault fault;
    RetentionProblem::Peak lacking;
  };

  RetentionEffort effort;
  std::map<Key, Known> ranks;
  std::map<Key, KnownStage> stages;
  std::map<Key, RetentionFloor> floors;
  std::map<Key, int64_t> bounds;
};

/// A point of the trade-off: an answer, what it holds and adds, and the bound of its bytes.
struct RetentionPoint {
  int64_t bytes = 0, addedNs = 0, boundNs = 0;
  Retention answer;
};

/// Answers for budgets from the peak without clones down to the least working set, evenly, as long as there are any; the
/// answer of a smaller budget stands for a larger one too if it adds less, so that bytes and time never fall together.
std::vector<RetentionPoint> solveRetentionCurve(const RetentionProblem &problem, int64_t points);

} // namespace plc::planner

#endif

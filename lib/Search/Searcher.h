//===- Searcher.h - the state of one search ---------------------*- C++ -*-===//
#ifndef PLC_LIB_SEARCH_SEARCHER_H
#define PLC_LIB_SEARCH_SEARCHER_H

#include "Orders.h"

#include "plc/Search/Search.h"

#include <chrono>
#include <map>
#include <memory>
#include <random>

namespace plc::search {

/// One way to save a unit's activations: the calls that are recomputed, the bytes of a micro-batch that are saved, and
/// the recomputing time in ns of a micro-batch.
struct SavedOption {
  int64_t bytes = 0, ns = 0;
  std::vector<int32_t> dropped{};
};
/// The options of a unit that no other one beats in bytes and time (the Pareto front), fastest first.
std::vector<SavedOption> savedOptionsOf(const Workload &workload, int32_t unit);

/// A plan under search, with its cached tasks and its last evaluation.
struct Candidate {
  PlanSpec plan;
  std::shared_ptr<const StageTasks> tasks; ///< null: the plan has changed since they were made
  Evaluation result;
  std::vector<double> price; ///< by rank: ns that the rank may recompute to save a byte
  /// Guide of `result` at `startPenalty`; infinite: not evaluated.
  double cost = std::numeric_limits<double>::infinity();
};

inline bool isCheaper(const Candidate &a, const Candidate &b) { return a.cost < b.cost; }

/// One run of the search: makes starts, repairs those above the limits, and anneals the best ones. `search` runs it
/// once without limits of bytes, and once more within them if they bind.
class Searcher {
public:
  Searcher(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits, SearchReport &report);

  std::optional<Found> run(const std::vector<PlanSpec> &known);
  bool hasStarts() const;

private:
  /// A neighbourhood: `make` changes a candidate and returns false if it found nothing to change.
  struct Move {
    double weight; ///< relative frequency
    bool (Searcher::*make)(Candidate &each);
  };

  // Searcher.cpp
  bool isOn(const std::string &technique) const { return !limits.without.contains(technique); }
  /// Whether effort or time is used up.
  bool isOver();
  /// What all starts of one frame share; they differ in orders and recomputation.
  using FrameKey = std::tuple<int32_t, int64_t, std::vector<int32_t>>;
  static FrameKey frameKey(const PlanSpec &plan) { return {plan.workload, plan.replicas, plan.rankOf}; }
  const Workload &workloadOf(const Candidate &each) const { return workloads[size_t(each.plan.workload)]; }
  int64_t runsOf(const PlanSpec &plan) const { return workloads[size_t(plan.workload)].microBatches / plan.replicas; }
  bool hasBudget() const { return !machine.limitBytes.empty(); }
  bool mayRecompute() const { return limits.mayRecompute && hasBudget() && isOn("recompute"); }
  double penaltyOfByte(double penalty) const {
    return hasBudget() ? penalty / double(std::max<int64_t>(1, machine.limitBytes.front())) : 0;
  }
  /// The cost that the search minimizes: the unhelped step, raised for bytes above the limits.
  double guideOf(const Evaluation &result, double penalty) const;
  /// Evaluates a candidate, and records it if it is the best so far. Returns false if the ranks deadlock, or if the
  /// guide at this penalty is above `most`.
  bool assess(Candidate &each, double most = std::numeric_limits<double>::infinity(), double penalty = 0);
  void makeTasks(Candidate &each);
  /// Orders the tasks again if a named schedule fixes their order. Returns false if that schedule refuses the stages.
  bool orderAnew(Candidate &each);
  int64_t actionsOf(const Candidate &each) const;
  const Move &drawMove();
  void anneal(Candidate &best, int64_t units);
  std::vector<Candidate> choosePool(std::vector<Candidate> &starts);

  // Starts.cpp
  std::vector<Candidate> makeStarts(const std::vector<PlanSpec> &known);
  std::vector<std::vector<int32_t>> rankMaps(int64_t ranks) const;
  /// Calls `visit` for each frame within the limits: a workload, a number of replicas, and the rank of each stage.
  using VisitStart = std::function<void(int32_t workload, int64_t replicas, const std::vector<int32_t> &rankOf)>;
  void forEachStart(const VisitStart &visit) const;
  /// A frame: starts with one workload, number of replicas and rank map. Frames are visited by `cost`.
  struct Frame {
    Candidate base;
    double workNs = 0; ///< lower bound: the work of the slowest rank
    double cost = 0;   ///< its promise: `workNs`, or under limits of bytes the cost of the better of two trial plans
  };
  Frame frameOf(int32_t workload, int64_t replicas, const std::vector<int32_t> &rankOf);
  void addStarts(const Candidate &frame, std::vector<Candidate> &starts);
  /// Levels of recomputation, 0 (nothing) to this (all). Not tuned: each level costs a list schedule of each frame.
  static constexpr size_t mostLevel = 4;
  bool listWithin(Candidate &each, bool isFull);
  bool atLevel(Candidate &each, bool isFull, size_t level);
  void addLevels(const Candidate &frame, bool isFull, std::vector<Candidate> &starts);
  void addChains(const Candidate &frame, std::vector<Candidate> &starts);
  void addFamilies(const Candidate &base, std::vector<Candidate> &starts);
  void addOrders(const Candidate &base, bool splits, std::vector<Candidate> &starts);
  void repairStarts(std::vector<Candidate> &starts, size_t from);

  // Recomputation.cpp
  const std::vector<SavedOption> &optionsOf(int32_t workload, int32_t unit);
  void setOption(Candidate &each, int32_t unit, const SavedOption &option);
  /// A rank whose first `units` pay its price, and the others the lower one.
  struct PriceParts {
    std::vector<int64_t> units; ///< by rank: units that pay the rank's price
    std::vector<double> lower;  ///< by rank: the price of the others
  };
  void applyPrices(Candidate &each, const std::vector<char> &ranks, const PriceParts *parts = nullptr);
  void divide(Candidate &each, const std::vector<char> &open, const std::vector<double> &low,
              const std::vector<double> &high, Candidate &found);
  bool repair(Candidate &each, int steps);
  void thin(Candidate &each);

  // Moves.cpp
  // Each returns false if it changed nothing, or nothing valid.
  bool relist(Candidate &each, double noise, bool byTail);
  bool moveList(Candidate &each);
  bool moveTasks(Candidate &each);
  bool moveBorder(Candidate &each);
  bool shiftBorders(Candidate &each);
  bool moveStage(Candidate &each);
  bool moveSplit(Candidate &each);
  bool moveRecompute(Candidate &each);
  void addMoves();

  /// A random index below `count`, and a random number from 0 to 1 with 53 bits: the same on all platforms.
  int32_t pick(size_t count) { return int32_t(random() % count); }
  double fraction() { return double(random() >> 11) / 9007199254740992.0; }

  const std::vector<Workload> &workloads;
  const Machine &machine;
  const Limits &limits;
  SearchReport &report;
  std::vector<Evaluator> evaluators; ///< by workload
  std::mt19937_64 random;
  std::vector<std::vector<std::vector<SavedOption>>> options; ///< by workload and unit
  std::vector<Move> moves;                                    ///< those that the limits allow
  std::optional<Candidate> best;                              ///< the fastest that fits
  std::optional<Candidate> lean;                              ///< the answer: about as fast as `best`, in fewer bytes
  std::optional<Candidate> nearest; ///< while none fits: the one with the fewest bytes above the limits
  int64_t spent = 0;                ///< actions evaluated so far
  int64_t enough = 0;               ///< the limit of `spent` once a plan fits
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  double asFast = 1;                                  ///< steps up to this factor of the best one count as equal
  bool mayOrder = true, mayCut = true, mayMap = true; ///< decisions that the limits leave open
};

} // namespace plc::search

#endif

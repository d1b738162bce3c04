//===- Searcher.h - the state of a search -----------------------*- C++ -*-===//
#ifndef PLC_LIB_SEARCH_SEARCHER_H
#define PLC_LIB_SEARCH_SEARCHER_H

#include "Orders.h"

#include "plc/Search/Search.h"

#include <chrono>
#include <map>
#include <memory>
#include <random>

namespace plc::search {

/// What a unit may save for its backward tasks: the calls that run again, the bytes of a micro-batch that are saved, and the
/// time that is added to it.
struct SavedOption {
  int64_t bytes = 0, ns = 0;
  std::vector<int32_t> dropped{};
};
/// The options of which none is better in bytes and in time, fastest first.
std::vector<SavedOption> savedOptionsOf(const Workload &workload, int32_t unit);

/// A plan under search.
struct Candidate {
  PlanSpec plan;
  std::shared_ptr<const StageTasks> tasks; ///< null: the plan has changed since
  Evaluation result;
  std::vector<double> price; ///< of a byte of each rank, in ns
  double cost = std::numeric_limits<double>::infinity();
};

inline bool isCheaper(const Candidate &a, const Candidate &b) { return a.cost < b.cost; }

class Searcher {
public:
  Searcher(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits, SearchReport &report);

  std::optional<Found> run(const std::vector<PlanSpec> &known);
  bool hasStarts() const;

private:
  struct Move {
    double weight;
    bool (Searcher::*make)(Candidate &each);
  };

  // Searcher.cpp
  bool isOn(const std::string &technique) const { return !limits.without.contains(technique); }
  bool isOver();
  /// What starts have in common that differ in orders and recomputation.
  using FrameKey = std::tuple<int32_t, int64_t, std::vector<int32_t>>;
  static FrameKey frameKey(const PlanSpec &plan) { return {plan.workload, plan.replicas, plan.rankOf}; }
  const Workload &workloadOf(const Candidate &each) const { return workloads[size_t(each.plan.workload)]; }
  int64_t runsOf(const PlanSpec &plan) const { return workloads[size_t(plan.workload)].microBatches / plan.replicas; }
  bool hasBudget() const { return !machine.limitBytes.empty(); }
  bool mayRecompute() const { return limits.mayRecompute && hasBudget() && isOn("recompute"); }
  double penaltyOfByte(double penalty) const {
    return hasBudget() ? penalty / double(std::max<int64_t>(1, machine.limitBytes.front())) : 0;
  }
  /// What moves go by, and starts are compared by.
  double guideOf(const Evaluation &result, double penalty) const;
  /// Evaluates a candidate, and remembers it if it is the best. False if it never ends or its guide is above `most` at this penalty.
  bool assess(Candidate &each, double most = std::numeric_limits<double>::infinity(), double penalty = 0);
  void makeTasks(Candidate &each);
  bool orderAnew(Candidate &each);
  int64_t actionsOf(const Candidate &each) const;
  const Move &drawMove();
  void anneal(Candidate &best, int64_t units);
  std::vector<Candidate> choosePool(std::vector<Candidate> &starts);

  // Starts.cpp
  std::vector<Candidate> makeStarts(const std::vector<PlanSpec> &known);
  std::vector<std::vector<int32_t>> rankMaps(int64_t ranks) const;
  /// Calls `visit` for each frame of a start: a workload, replicas, and the rank of each stage.
  using VisitStart = std::function<void(int32_t workload, int64_t replicas, const std::vector<int32_t> &rankOf)>;
  void forEachStart(const VisitStart &visit) const;
  /// Where starts stand.
  struct Frame {
    Candidate base;
    double workNs = 0; ///< of the slowest rank
    double cost = 0;   ///< what it promises: that, or within limits of bytes the cost of the better of two plans
  };
  Frame frameOf(int32_t workload, int64_t replicas, const std::vector<int32_t> &rankOf);
  void addStarts(const Candidate &frame, std::vector<Candidate> &starts);
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
  struct PriceParts {
    std::vector<int64_t> units; ///< of each rank that pay its price
    std::vector<double> lower;  ///< what others pay
  };
  void applyPrices(Candidate &each, const std::vector<char> &ranks, const PriceParts *parts = nullptr);
  void divide(Candidate &each, const std::vector<char> &open, const std::vector<double> &low,
              const std::vector<double> &high, Candidate &found);
  bool repair(Candidate &each, int steps);
  void thin(Candidate &each);

  // Moves.cpp
  bool relist(Candidate &each, double noise, bool byTail);
  bool moveList(Candidate &each);
  bool moveTasks(Candidate &each);
  bool moveBorder(Candidate &each);
  bool shiftBorders(Candidate &each);
  bool moveStage(Candidate &each);
  bool moveSplit(Candidate &each);
  bool moveRecompute(Candidate &each);
  void addMoves();

  int32_t pick(size_t count) { return int32_t(random() % count); }
  double fraction() { return double(random() >> 11) / 9007199254740992.0; }

  const std::vector<Workload> &workloads;
  const Machine &machine;
  const Limits &limits;
  SearchReport &report;
  std::vector<Evaluator> evaluators; ///< by workload
  std::mt19937_64 random;
  std::vector<std::vector<std::vector<SavedOption>>> options; ///< by workload and unit
  std::vector<Move> moves;                                    ///< that the limits leave open
  std::optional<Candidate> best;                              ///< that fits
  std::optional<Candidate> lean;                              ///< the answer: about as fast as the best, in fewer bytes
  std::optional<Candidate> nearest;                           ///< where none fits: the one that lacks the fewest bytes
  int64_t spent = 0;                                          ///< actions that were evaluated
  int64_t enough = 0;                                         ///< of these, once a plan fits
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  double asFast = 1; ///< times the best step: steps that count as equal
  bool mayOrder = true, mayCut = true, mayMap = true;
};

} // namespace plc::search

#endif

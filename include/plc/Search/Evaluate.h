//===- Evaluate.h - the step and the bytes of a plan ------------*- C++ -*-===//
#ifndef PLC_SEARCH_EVALUATE_H
#define PLC_SEARCH_EVALUATE_H

#include "plc/Search/StageTasks.h"
#include "plc/Simulator/Simulate.h"

#include <limits>

namespace plc::search {

/// What plans run on.
struct Machine {
  int64_t ranks = 1;
  simulator::Cluster cluster; ///< one machine with at least so many ranks
  PerRate rates{};
  simulator::RankThreads threads{};
  std::vector<int64_t> limitBytes{}; ///< of each rank's arena; empty: any
  int64_t limitOf(size_t rank) const {
    return limitBytes.empty() ? std::numeric_limits<int64_t>::max() : limitBytes[rank];
  }
  /// Of a rank whose optimizer reads and writes so many bytes.
  simulator::SharedWork update(double bytes) const {
    return simulator::sharedUpdate(int64_t(bytes * rates[Rate::updatedByte]), threads);
  }
  /// The same where it is part of a sum.
  double updateNs(double bytes) const { return bytes * rates[Rate::updatedByte] / double(threads.count); }
  /// Of each of so many ranks that compute at once.
  double speedOf(int64_t busyRanks) const { return simulator::speedOfEach(busyRanks * threads.count, rates); }
};

/// What a plan takes.
struct Evaluation {
  bool ends = false;  ///< false: ranks wait for each other, or the plan takes longer than was asked for
  int64_t stepNs = 0; ///< as the simulator plays it
  /// The same where no rank helps another: what a search goes by, since help hides what an order lacks.
  int64_t aloneNs = 0;
  int64_t orderNs = 0;                       ///< a lower estimate of `aloneNs`: with messages that occupy nobody
  int64_t overBytes = 0;                     ///< above the limits, summed over ranks
  std::vector<int64_t> bytes{};              ///< live bytes of each rank at most, persistent ones included
  std::vector<int64_t> busyNs{};             ///< of each rank
  std::vector<std::vector<int64_t>> start{}; ///< of each task, by rank and position, as in `orderNs`
};

/// What a plan may cost at most: `aloneNs`, and more for each byte above the limits, as a fraction of it.
struct Cutoff {
  double ns = std::numeric_limits<double>::infinity();
  double perByte = 0;
};

/// Evaluates plans of one workload. It keeps its buffers, so a search uses one.
class Evaluator {
public:
  Evaluator(const Workload &workload, const Machine &machine)
      : workload(workload), machine(machine), cluster(machine.cluster) {}

  /// Plans that cost more are not played. O(actions (log ranks)).
  Evaluation evaluate(const PlanSpec &plan, const StageTasks &tasks, Cutoff most = {});

  /// No order of these tasks takes less.
  double workNs(const PlanSpec &plan, const StageTasks &tasks) const;

private:
  bool order(const PlanSpec &plan, const StageTasks &tasks, Evaluation &result);
  void listActions(const PlanSpec &plan, const StageTasks &tasks, const Evaluation &result);
  void addRoute(const PlanSpec &plan, const StageTasks::Route &route, const Evaluation &result);
  void addStepMessages(const PlanSpec &plan, const StageTasks &tasks);
  void writeActions(const PlanSpec &plan, const StageTasks &tasks);
  simulator::Play::Action stepOf(const StageTasks &tasks, const PlanSpec &plan, size_t rank) const;
  bool isShared(const StageTasks &tasks) const { return machine.cluster.sharesKernels && tasks.isDivided(); }
  double speedOf(const PlanSpec &plan) const { return machine.speedOf(plan.ranks() * plan.replicas); }

  /// An action between tasks, with the bytes that begin or end to live with it.
  struct Stand {
    size_t at; ///< gap * gapKinds + its order in the gap
    simulator::Play::Action action;
    int64_t bytes;
  };
  enum Gap { sends, posts, waitSends, waitRecvs, gapKinds };

  size_t indexOf(int32_t stage, TaskKind kind, int64_t microBatch) const {
    return size_t(StageTasks::nodeOf(stage, kind)) * size_t(runs) + size_t(microBatch);
  }

  const Workload &workload;
  const Machine machine;
  simulator::Cluster cluster; // of the plan at hand
  int64_t runs = 1;           ///< micro-batches of a replica
  simulator::Play play;
  simulator::Simulation simulation;
  std::vector<int64_t> done;                 // by task: its end, or -1
  std::vector<int32_t> position;             // by task: on its rank
  std::vector<size_t> next;                  // by rank
  std::vector<int64_t> clock;                // by rank
  std::vector<std::vector<int64_t>> end;     // by rank and position
  std::vector<std::vector<int64_t>> visited; // by rank and position: the index in one order of all tasks
  std::vector<std::vector<Stand>> stands;    // by rank
  std::vector<std::array<std::vector<simulator::Play::Action>, 4>> tails; // by rank: starts, waits, sends, waits behind
  std::vector<uint32_t> first, sorted;
  std::vector<std::vector<int64_t>> liveBytes; // by rank and action
};

} // namespace plc::search

#endif

//===- Evaluate.h - predicts step time and memory of a plan -----*- C++ -*-===//
#ifndef PLC_SEARCH_EVALUATE_H
#define PLC_SEARCH_EVALUATE_H

#include "plc/Search/StageTasks.h"
#include "plc/Simulator/Simulate.h"

#include <limits>

namespace plc::search {

/// The machine that plans run on: one machine, with measured rates and a limit of bytes for each rank.
struct Machine {
  int64_t ranks = 1;
  simulator::Cluster cluster; ///< one machine with at least `ranks` ranks
  PerRate rates{};
  simulator::RankThreads threads{};
  std::vector<int64_t> limitBytes{}; ///< of each rank's arena; empty: no limit
  int64_t limitOf(size_t rank) const {
    return limitBytes.empty() ? std::numeric_limits<int64_t>::max() : limitBytes[rank];
  }
  /// The optimizer's work on a rank, where it reads and writes so many bytes.
  simulator::SharedWork update(double bytes) const {
    return simulator::sharedUpdate(int64_t(bytes * rates[Rate::updatedByte]), threads);
  }
  /// The same as one number, for sums of times.
  double updateNs(double bytes) const { return bytes * rates[Rate::updatedByte] / double(threads.count); }
  /// The speed of each rank if so many compute at once; 1 is a rank alone.
  double speedOf(int64_t busyRanks) const { return simulator::speedOfEach(busyRanks * threads.count, rates); }
};

/// Predicted time and memory of a plan. Times are ns of one step.
struct Evaluation {
  bool ends = false;  ///< false: the ranks deadlock, or the plan costs more than the cutoff
  int64_t stepNs = 0; ///< the step as the simulator plays it, with the help that idle ranks give
  /// The step without help. The search compares plans by it, since help hides what a better order gains.
  int64_t aloneNs = 0;
  int64_t orderNs = 0;           ///< about a lower bound of `aloneNs`: messages take time, but no rank's time
  int64_t overBytes = 0;         ///< bytes above the limits, summed over ranks
  std::vector<int64_t> bytes{};  ///< peak of live bytes of each rank, with persistent buffers
  std::vector<int64_t> busyNs{}; ///< computing time of each rank
  std::vector<std::vector<int64_t>> start{}; ///< of each task in `orderNs`, by rank and position
};

/// The most that a plan may cost. The cost is `aloneNs`, raised by the fraction `perByte` for each byte above the
/// limits.
struct Cutoff {
  double ns = std::numeric_limits<double>::infinity();
  double perByte = 0;
};

/// Predicts time and memory of plans of one workload. Evaluation is the inner loop of the search, so an evaluator keeps
/// its buffers from plan to plan. Results do not depend on earlier plans.
class Evaluator {
public:
  Evaluator(const Workload &workload, const Machine &machine)
      : workload(workload), machine(machine), cluster(machine.cluster) {}

  /// Evaluates a plan, given the tasks of its stages. A plan above `most` is cut off before the simulator plays it, or
  /// right after: then `ends` is false. O(actions (log ranks)).
  Evaluation evaluate(const PlanSpec &plan, const StageTasks &tasks, Cutoff most = {});

  /// A lower bound: no order of these tasks takes less time.
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

  /// An action in the gap before a task, with the bytes that become live there (negative: that are freed).
  struct Stand {
    size_t at; ///< gap * gapKinds + kind: the sort key
    simulator::Play::Action action;
    int64_t bytes;
  };
  enum Gap { sends, posts, waitSends, waitRecvs, gapKinds };

  size_t indexOf(int32_t stage, TaskKind kind, int64_t microBatch) const {
    return size_t(StageTasks::nodeOf(stage, kind)) * size_t(runs) + size_t(microBatch);
  }

  const Workload &workload;
  const Machine machine;
  simulator::Cluster cluster; // the machine, at the speed of the current plan
  int64_t runs = 1;           ///< micro-batches of a replica
  simulator::Play play;
  simulator::Simulation simulation;
  std::vector<int64_t> done;                 // by task: its end, or -1
  std::vector<int32_t> position;             // by task: on its rank
  std::vector<size_t> next;                  // by rank: first task that has not run
  std::vector<int64_t> clock;                // by rank
  std::vector<std::vector<int64_t>> end;     // by rank and position
  std::vector<std::vector<int64_t>> visited; // by rank and position: the index in one order of all tasks
  std::vector<std::vector<Stand>> stands;    // by rank
  std::vector<std::array<std::vector<simulator::Play::Action>, 4>> tails; // by rank: start, wait, send, wait
  std::vector<uint32_t> first, sorted;
  std::vector<std::vector<int64_t>> liveBytes; // by rank and action
};

} // namespace plc::search

#endif

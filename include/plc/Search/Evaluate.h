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
  simulator::Cluster cluster;        ///< with at least so many ranks
  double updateNsPerByte = 0;        ///< of what the optimizer reads and writes
  std::vector<int64_t> limitBytes{}; ///< of each rank's arena; empty: any
  int64_t limitOf(size_t rank) const {
    return limitBytes.empty() ? std::numeric_limits<int64_t>::max() : limitBytes[rank];
  }
};

/// What a plan takes.
struct Evaluation {
  bool ends = false;             ///< false: ranks wait for each other, or the plan takes longer than was asked for
  int64_t stepNs = 0;            ///< as the simulator plays it
  int64_t orderNs = 0;           ///< a lower estimate: with messages that occupy nobody
  int64_t overBytes = 0;         ///< above the limits, summed over ranks
  std::vector<int64_t> bytes{};  ///< live bytes of each rank at most, persistent ones included
  std::vector<int64_t> busyNs{}; ///< of each rank
  std::vector<std::vector<int64_t>> start{}; ///< of each task, by rank and position, as in `orderNs`
};

/// What a plan may cost at most: its step, and more for each byte above the limits, as a fraction of it.
struct Cutoff {
  double ns = std::numeric_limits<double>::infinity();
  double perByte = 0;
};

/// Evaluates plans of one workload. It keeps its buffers, so a search uses one.
class Evaluator {
public:
  Evaluator(const Workload &workload, const Machine &machine) : workload(workload), machine(machine) {}

  /// Plans that cost more are not played. O(actions (log ranks)).
  Evaluation evaluate(const PlanSpec &plan, const StageTasks &tasks, Cutoff most = {});

private:
  bool order(const PlanSpec &plan, const StageTasks &tasks, Evaluation &result);
  void listActions(const PlanSpec &plan, const StageTasks &tasks, const Evaluation &result);
  void addRoute(const PlanSpec &plan, const StageTasks::Route &route, const Evaluation &result);
  void addStepMessages(const PlanSpec &plan, const StageTasks &tasks);
  void writeActions(const PlanSpec &plan, const StageTasks &tasks);
  int64_t stepNs(const StageTasks &tasks, const PlanSpec &plan, size_t rank) const;

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
  int64_t runs = 1; ///< micro-batches of a replica
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

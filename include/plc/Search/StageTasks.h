//===- StageTasks.h - time and memory of each stage's tasks -----*- C++ -*-===//
#ifndef PLC_SEARCH_STAGETASKS_H
#define PLC_SEARCH_STAGETASKS_H

#include "plc/Search/PlanSpec.h"

namespace plc::search {

inline constexpr TaskKind taskKinds[] = {TaskKind::F, TaskKind::B, TaskKind::W};

/// The task that runs a call: a call of W belongs to B in a full backward.
inline TaskKind taskOf(const Workload &workload, const PlanSpec &plan, size_t call) {
  const Call &each = workload.calls[call];
  bool joins = each.kind == TaskKind::W && !plan.fullBackward.empty() && plan.fullBackward[size_t(each.unit)];
  return joins ? TaskKind::B : each.kind;
}

/// A call in the body of a task: an original, or a recomputing clone.
struct BodyCall {
  int32_t call = 0;
  bool isClone = false;
};

/// The calls of each task in order, by stage and kind, and the stage of each original.
struct StageBodies {
  std::vector<std::array<std::vector<BodyCall>, 3>> bodies;
  std::vector<int32_t> stageOfCall;
};
/// Lays out the calls of a plan's tasks. A clone stands before the first call of its stage's backward tasks that
/// needs it.
StageBodies bodiesOf(const Workload &workload, const PlanSpec &plan);

/// What follows from cuts, rank map, split backward and recomputation, and not from orders: so many orders share it.
/// All numbers are of one micro-batch, the one with the most samples.
///
///   bytes above those at the start of a task:   peak  _/\__        net  = bytes that it leaves
struct StageTasks {
  struct Work : simulator::SharedWork {
    bool exists = false;       ///< the task has calls
    int64_t peak = 0, net = 0; ///< bytes relative to those live at the task's start: the most, and at its end
  };
  /// One message per micro-batch: a value that travels between two ranks.
  struct Route {
    int32_t source = 0;
    TaskKind from = TaskKind::F;
    int32_t destination = 0;
    TaskKind to = TaskKind::F; ///< the first task that reads it
    int64_t bytes = 0;
    int64_t freed = 0; ///< bytes at the source that are freed once the message has left
  };
  /// A dependence of a task: the task `node` (`nodeOf`) must have ended, and its message takes `ns`.
  struct Need {
    int32_t node = 0;
    int64_t ns = 0;
  };
  /// A message once per step: a gradient to the rank that owns the parameter, or the new value back.
  struct StepMessage {
    int32_t from = 0, to = 0; ///< ranks
    int64_t bytes = 0;
    bool isGradient = false;
    int32_t stage = 0;           ///< of a gradient: the stage that makes it
    TaskKind kind = TaskKind::B; ///< of a gradient: the task that makes it
  };

  bool isLegal = true; ///< false: a full backward reads a value that only W makes, or that is made later
  std::vector<std::array<Work, 3>> stages;
  std::vector<Route> routes;
  std::vector<std::vector<Need>> into; ///< by node: its dependences
  std::vector<StepMessage> stepMessages;
  std::vector<int64_t> persistentBytes; ///< by rank
  std::vector<int64_t> updatedBytes;    ///< by rank: bytes that its update reads and writes

  static int32_t nodeOf(int32_t stage, TaskKind kind) { return stage * 3 + int32_t(kind); }
  bool isDivided() const; ///< some work can be shared with helping ranks
  const Work &work(const Task &task) const { return stages[size_t(task.stage)][size_t(task.kind)]; }
};
/// Computes the tasks of a plan. `ranks` counts the machine's ranks, which may be more than the plan uses.
StageTasks tasksOf(const Workload &workload, const PlanSpec &plan, int64_t ranks);

/// Bandwidth between ranks for the order of tasks, before messages are placed, in bytes per ns. The same on every
/// machine; not tuned. The simulator then plays messages at the measured bandwidth.
inline constexpr int64_t bytesPerNs = 8;

} // namespace plc::search

#endif

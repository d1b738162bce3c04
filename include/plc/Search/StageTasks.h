//===- StageTasks.h - what the tasks of a plan's stages do ------*- C++ -*-===//
#ifndef PLC_SEARCH_STAGETASKS_H
#define PLC_SEARCH_STAGETASKS_H

#include "plc/Search/PlanSpec.h"

namespace plc::search {

inline constexpr TaskKind taskKinds[] = {TaskKind::F, TaskKind::B, TaskKind::W};

/// The task that runs a call: in a full backward W is part of B.
inline TaskKind taskOf(const Workload &workload, const PlanSpec &plan, size_t call) {
  const Call &each = workload.calls[call];
  bool joins = each.kind == TaskKind::W && !plan.fullBackward.empty() && plan.fullBackward[size_t(each.unit)];
  return joins ? TaskKind::B : each.kind;
}

/// A call in the body of a task.
struct BodyCall {
  int32_t call = 0;
  bool isClone = false;
};

/// The calls of each task, by stage and kind, in order, and the stage of each call.
struct StageBodies {
  std::vector<std::array<std::vector<BodyCall>, 3>> bodies;
  std::vector<int32_t> stageOfCall;
};
/// A clone runs before the first call of its stage's backward tasks that needs it.
StageBodies bodiesOf(const Workload &workload, const PlanSpec &plan);

/// What follows from cut, rank map, split backward and recomputation alone, so that orders share it. Of one micro-batch.
///
///   bytes above those at the start of a task:   peak  _/\__        net  = bytes that it leaves
struct StageTasks {
  struct Work : simulator::SharedWork {
    bool exists = false; ///< it has calls
    int64_t peak = 0, net = 0;
  };
  /// A value that travels between two ranks.
  struct Route {
    int32_t source = 0;
    TaskKind from = TaskKind::F;
    int32_t destination = 0;
    TaskKind to = TaskKind::F; ///< the first task that reads it
    int64_t bytes = 0;
    int64_t freed = 0; ///< bytes at its source that live until it has left
  };
  /// What a task waits for: the task `node` (`nodeOf`), and the time of the message.
  struct Need {
    int32_t node = 0;
    int64_t ns = 0;
  };
  /// A message of the step: a gradient to the rank that owns the parameter, or its new value back.
  struct StepMessage {
    int32_t from = 0, to = 0; ///< ranks
    int64_t bytes = 0;
    bool isGradient = false;
    int32_t stage = 0;           ///< gradient: who makes it
    TaskKind kind = TaskKind::B; ///< gradient: in which task
  };

  bool isLegal = true; ///< false: a full backward reads what only W makes, or makes later
  std::vector<std::array<Work, 3>> stages;
  std::vector<Route> routes;
  std::vector<std::vector<Need>> into; ///< by node
  std::vector<StepMessage> stepMessages;
  std::vector<int64_t> persistentBytes; ///< by rank
  std::vector<int64_t> updatedBytes;    ///< by rank: what its update reads and writes

  static int32_t nodeOf(int32_t stage, TaskKind kind) { return stage * 3 + int32_t(kind); }
  bool isDivided() const; ///< ranks may help others
  const Work &work(const Task &task) const { return stages[size_t(task.stage)][size_t(task.kind)]; }
};
/// `ranks` is that of the machine, which may be more than the plan has.
StageTasks tasksOf(const Workload &workload, const PlanSpec &plan, int64_t ranks);

/// Bytes between ranks in a ns, for the order of tasks before messages are known.
inline constexpr int64_t bytesPerNs = 8;

} // namespace plc::search

#endif

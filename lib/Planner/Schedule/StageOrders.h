//===- StageOrders.h - orders of stages, merged on ranks --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_STAGEORDERS_H
#define PLC_LIB_PLANNER_SCHEDULE_STAGEORDERS_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// The order of each stage as if it had a rank of its own; merged if a rank has several stages.
class StageOrders {
public:
  explicit StageOrders(const ScheduleProblem &problem) : problem(problem) {
    orders.ranks.resize(problem.stages.size());
  }

  /// Append a stage's tasks for a micro-batch: F, or B and W in a row; tasks that the stage lacks are skipped.
  void addForward(int64_t stage, int64_t microBatch) { add(stage, TaskKind::F, microBatch); }
  void addBackward(int64_t stage, int64_t microBatch) {
    add(stage, TaskKind::B, microBatch);
    add(stage, TaskKind::W, microBatch);
  }
  void add(int64_t stage, TaskKind kind, int64_t microBatch);

  /// Merges the orders of stages into orders of ranks. Stages of one rank interleave as if each had a rank of its own:
  /// starts respect dependences, and so does the order of starts. Fails if the orders deadlock.
  Status mergeOnRanks(Schedule &schedule) const;

private:
  const ScheduleProblem &problem;
  Schedule orders;
};

/// Whether no stage has a backward task.
bool isForwardOnly(const ScheduleProblem &problem);

} // namespace plc::planner

#endif

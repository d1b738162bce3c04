//===- StageOrders.h - orders of stages, as orders of ranks -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_STAGEORDERS_H
#define PLC_LIB_PLANNER_SCHEDULE_STAGEORDERS_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// What each stage runs if it has a rank of its own.
class StageOrders {
public:
  explicit StageOrders(const ScheduleProblem &problem) : problem(problem) {
    orders.ranks.resize(problem.stages.size());
  }

  /// Append a stage's tasks for a micro-batch: F, or B and W in one go; those that the stage has.
  void addForward(int64_t stage, int64_t microBatch) { add(stage, TaskKind::F, microBatch); }
  void addBackward(int64_t stage, int64_t microBatch) {
    add(stage, TaskKind::B, microBatch);
    add(stage, TaskKind::W, microBatch);
  }
  void add(int64_t stage, TaskKind kind, int64_t microBatch);

  /// One order per stage becomes one per rank. Stages of one rank interleave as they would run if each had a rank of its
  /// own: starts respect dependences, and so does the order of starts.
  Fault mergeOnRanks(Schedule &schedule) const;

private:
  const ScheduleProblem &problem;
  Schedule orders;
};

/// Whether no stage has a backward task.
bool isForwardOnly(const ScheduleProblem &problem);

} // namespace plc::planner

#endif

//===- SharedStages.h - schedules where ranks share a stage -----*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SHAREDSTAGES_H
#define PLC_PLANNER_SCHEDULE_SHAREDSTAGES_H

#include "plc/Planner/Schedule/Schedules.h"

#include <functional>

namespace plc::planner {

class ScheduleFile;

/// The group of `shards` ranks of each stage of a pipeline. `place` has the rank of each shard, `pipeline` its stage.
std::vector<int64_t> groupsOf(const std::vector<int64_t> &rankMap, int64_t shards,
                              const std::vector<int64_t> &pipeline);

/// The pipeline of a problem whose stages are shards of stages: a problem with one rank for each group.
ScheduleProblem pipelineOf(const ScheduleProblem &problem);

/// Orders a problem that has a `pipeline` as `order` orders that pipeline. If `joins` and ranks share stages, each
/// shard runs its B and its W in a row; otherwise W of all shards follows B of all. The answer is not verified.
Status orderShared(const std::function<Status(const ScheduleProblem &, Schedule &)> &order, bool joins,
                   const ScheduleProblem &problem, Schedule &schedule);

/// Orders a problem as a file does, and verifies the answer. If ranks share stages, the file has a row for each group.
/// A forward-only problem with fewer stages than the file is ordered as GPipe does.
Status orderByFile(const ScheduleFile &file, const ScheduleProblem &problem, Schedule &schedule);

/// The inverse of `orderShared`: the order of the pipeline that this order was made of, or nothing.
std::optional<Schedule> pipelineOrderOf(const ScheduleProblem &problem, const Schedule &schedule);

} // namespace plc::planner

#endif

//===- SharedStages.h - schedules where ranks share a stage -----*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SHAREDSTAGES_H
#define PLC_PLANNER_SCHEDULE_SHAREDSTAGES_H

#include "plc/Planner/Schedule/Schedules.h"

#include <functional>

namespace plc::planner {

class ScheduleFile;

/// The group of `shards` ranks of each stage of a pipeline, given the rank of each part and whose it is.
std::vector<int64_t> groupsOf(const std::vector<int64_t> &place, int64_t shards, const std::vector<int64_t> &pipeline);

/// The pipeline of a problem whose stages are parts of its stages: one rank for each group.
ScheduleProblem pipelineOf(const ScheduleProblem &problem);

/// Orders a problem that has a `pipeline` as `order` orders that. If a group `joins` them, B of a part and its W are one behind
/// the other; else W of all parts is behind B of all. The answer is not verified.
Fault orderShared(const std::function<Fault(const ScheduleProblem &, Schedule &)> &order, bool joins,
                  const ScheduleProblem &problem, Schedule &schedule);

/// Orders a problem as a file does, and verifies the answer. Where ranks share stages the file has a row for each group. A problem
/// with forwards alone and fewer stages than the file is ordered as GPipe does.
Fault orderByFile(const ScheduleFile &file, const ScheduleProblem &problem, Schedule &schedule);

/// The order of the pipeline that such an order was made of; nothing if it was made of none.
std::optional<Schedule> pipelineOrderOf(const ScheduleProblem &problem, const Schedule &schedule);

} // namespace plc::planner

#endif

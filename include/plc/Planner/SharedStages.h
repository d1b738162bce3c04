//===- SharedStages.h - schedules where ranks share a stage -----*- C++ -*-===//
#ifndef PLC_PLANNER_SHAREDSTAGES_H
#define PLC_PLANNER_SHAREDSTAGES_H

#include "plc/Planner/Schedules.h"

namespace plc::planner {

/// Which stage of the pipeline each stage is of, if groups of `shards` ranks share one: stages behind each other on ranks
/// of one group are of one. With one shard these are the buckets of a rank.
std::vector<int64_t> positionsOf(const std::vector<int64_t> &place, int64_t shards);
/// The group of each stage of that pipeline.
std::vector<int64_t> pipelineOf(const std::vector<int64_t> &place, int64_t shards);

/// Orders a problem of `shards` or `buckets` as the schedule, one that follows shapes, orders the pipeline. The answer is not
/// verified.
Fault orderShared(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule);

} // namespace plc::planner

#endif

//===- Orders.h - orders of tasks -------------------------------*- C++ -*-===//
#ifndef PLC_LIB_SEARCH_ORDERS_H
#define PLC_LIB_SEARCH_ORDERS_H

#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Search/Evaluate.h"

namespace plc::search {

/// An order that repeats for each micro-batch. Task (stage, kind) of micro-batch i stands at
///
///   offset[stage][kind] + (i % group) * step[kind] + (i / group) * group * period
///
/// and each rank runs its tasks by that key. GPipe, 1F1B, interleaved 1F1B, zero bubble and the V schedules are such
/// patterns. Source: Qi et al., "Pipeline Parallelism with Controllable Memory", 2024.
struct Pattern {
  const char *name = "";
  double spread = 1; ///< of F and B along the stages; 1 saves the fewest activations
  double delay = 0;  ///< of W behind its B, in periods
  double hold = 0;   ///< of B behind the last F, in periods; as many as there are micro-batches: GPipe
  int64_t group = 1; ///< micro-batches that run chunk by chunk
  double slack = -1; ///< 0 or more: tasks of a rank do not overlap modulo the period, which is longer by this fraction
};

/// The patterns that are tried as starts.
std::vector<Pattern> patternsOf(int64_t runs, int64_t ranks, int64_t stages, bool splits);

void orderByPattern(const StageTasks &tasks, const Pattern &pattern, int64_t runs, PlanSpec &plan);

/// A list schedule: at each time the ready task with the least key (by node and micro-batch). With limits, F runs only where
/// its rank has room for what the micro-batch takes in all its stages on that rank, so that one can always end; if no task
/// fits anywhere, one runs all the same. False if the order never ends.
bool orderByKeys(const StageTasks &tasks, const Machine &machine, const std::vector<double> &keys, int64_t runs,
                 PlanSpec &plan);

/// Keys for a list schedule: the longest way from each task to the end of the step, negated.
std::vector<double> keysByTail(const StageTasks &tasks, const PlanSpec &plan, const Evaluation &result, int64_t runs);
/// Keys that keep an order: the start of each task.
std::vector<double> keysByStart(const PlanSpec &plan, const Evaluation &result, int64_t runs);

/// Adds the tasks without calls to an order that lacks them, beside the others of their stage and micro-batch, so that moves
/// may give them calls.
void completeOrder(const StageTasks &tasks, PlanSpec &plan);

/// Orders the tasks as a named schedule does, or as a `file` says, which is null for all others; tasks without calls are left
/// out.
planner::Fault orderByFamily(const StageTasks &tasks, const Workload &workload, planner::ScheduleKind schedule,
                             const planner::ScheduleFile *file, PlanSpec &plan);

} // namespace plc::search

#endif

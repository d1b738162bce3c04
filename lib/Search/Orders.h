//===- Orders.h - orders of the tasks on ranks ------------------*- C++ -*-===//
#ifndef PLC_LIB_SEARCH_ORDERS_H
#define PLC_LIB_SEARCH_ORDERS_H

#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Search/Evaluate.h"

namespace plc::search {

/// A periodic order. Task (stage, kind) of micro-batch i has the key
///
///   offset[stage][kind] + (i % group) * step[kind] + (i / group) * group * period
///
/// and each rank runs its tasks by key. GPipe, 1F1B, interleaved 1F1B, zero bubble and the V schedules are such
/// patterns. Source: Qi et al., "Pipeline Parallelism with Controllable Memory", 2024.
struct Pattern {
  const char *name = "";
  /// Distance of F and B of neighbouring stages, in lengths of the task; 1 saves the fewest activations.
  double spread = 1;
  double delay = 0;  ///< of W after its B, in periods
  double hold = 0;   ///< of B after the last F, in periods; the number of micro-batches gives GPipe
  int64_t group = 1; ///< micro-batches that pass a chunk before the next chunk starts
  double slack = -1; ///< 0 or more: tasks of a rank do not overlap modulo the period, which is longer by this fraction
};

/// The patterns that are starts on so many ranks and stages, for `runs` micro-batches.
std::vector<Pattern> patternsOf(int64_t runs, int64_t ranks, int64_t stages, bool splits);

/// Sets `plan.order` to a pattern, for `runs` micro-batches. It may ignore dependences between ranks that delay a task;
/// the evaluator plays the delay.
void orderByPattern(const StageTasks &tasks, const Pattern &pattern, int64_t runs, PlanSpec &plan);

/// List scheduling: the rank that can start a task first starts the one with the least key (keys by node and
/// micro-batch). Under limits, F runs only if its rank has free bytes for the micro-batch in all its stages there, so
/// that each micro-batch in flight can end. If no task fits anywhere, one runs nevertheless. Returns false if the order
/// deadlocks. O(tasks (ranks + nodes of a rank)).
bool orderByKeys(const StageTasks &tasks, const Machine &machine, const std::vector<double> &keys, int64_t runs,
                 PlanSpec &plan);

/// Keys for a list schedule: the longest path from each task to the end of the step, negated (critical path first).
std::vector<double> keysByTail(const StageTasks &tasks, const PlanSpec &plan, const Evaluation &result, int64_t runs);
/// Keys that repeat the order of `plan`: the start of each task.
std::vector<double> keysByStart(const PlanSpec &plan, const Evaluation &result, int64_t runs);

/// Adds the tasks without calls to an order, beside the others of their stage and micro-batch. Moves may give them
/// calls, and then they need a position.
void completeOrder(const StageTasks &tasks, PlanSpec &plan);

/// Orders the tasks as a named schedule does, or as `file` says if the schedule is `file` (null otherwise). Tasks
/// without calls are left out. Returns why the schedule refuses the stages.
planner::Status orderByFamily(const StageTasks &tasks, const Workload &workload, planner::ScheduleKind schedule,
                              const planner::ScheduleFile *file, PlanSpec &plan);

} // namespace plc::search

#endif

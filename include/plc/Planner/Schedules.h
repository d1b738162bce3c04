//===- Schedules.h - the schedules that there are ---------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULES_H
#define PLC_PLANNER_SCHEDULES_H

#include "plc/Planner/Schedule.h"
#include "plc/Support/Choice.h"

namespace plc::planner {

enum class ScheduleKind {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, SPLITS_BACKWARD, SHARES_RANKS) ENUMERATOR,
#include "plc/Planner/Schedules.def"
};

/// All that is known of a schedule.
struct ScheduleFamily {
  const char *name;
  /// Orders a checked problem.
  Fault (*order)(const ScheduleProblem &problem, Schedule &schedule);
  /// Micro-batches whose residuals a stage holds at once, at most.
  int64_t (*inFlight)(int64_t stage, int64_t stages, int64_t microBatches);
  bool splitsBackward; ///< other tasks may run between B and W of a micro-batch
  bool sharesRanks;    ///< a rank may have several stages
};

/// Orders a problem as a schedule does, and verifies the answer: also that it keeps to what its row says. Fails if the
/// problem is none, or not one for this schedule.
Fault solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule);

// Of each row: order##Function, whose definition says its memory, its time and its source, and inFlight##Function.
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, SPLITS_BACKWARD, SHARES_RANKS)                                            \
  Fault order##FUNCTION(const ScheduleProblem &problem, Schedule &schedule);                                           \
  int64_t inFlight##FUNCTION(int64_t stage, int64_t stages, int64_t microBatches);
#include "plc/Planner/Schedules.def"

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::ScheduleKind> {
  static constexpr const char *noun = "schedule";
  static std::span<const planner::ScheduleFamily> rows();
  static std::span<const char *const> planned();
};

#endif

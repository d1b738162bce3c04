//===- Schedules.h - the schedules that there are ---------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULES_H
#define PLC_PLANNER_SCHEDULE_SCHEDULES_H

#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Support/Choice.h"

namespace plc::planner {

enum class ScheduleKind {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS) ENUMERATOR,
#include "plc/Planner/Schedule/Schedules.def"
};

/// Which rank has which stages.
///
///   stages 0 to 5 on 3 ranks    loop    vee
///   rank 0                      0, 3    0, 5
///   rank 1                      1, 4    1, 4
///   rank 2                      2, 5    2, 3
enum class Placement { any, loop, vee };

/// What an order is made of: the shape of the pipeline alone, the times and limits of the problem, too, or someone's text
/// (`ScheduleFile`), which only who has it can read.
enum class OrderSource { shape, times, text };

/// All that is known of a schedule.
struct ScheduleFamily {
  const char *name;
  /// Orders a checked problem.
  Fault (*order)(const ScheduleProblem &problem, Schedule &schedule);
  OrderSource follows;
  bool splitsBackward; ///< other tasks may run between B and W of a micro-batch
  Placement placement; ///< the only one that it orders
  int64_t chunks;      ///< stages of a rank, unless someone says otherwise
};

/// The rank of each stage if a rank has so many: by `placement`, or in a loop if it is any.
std::vector<int64_t> placeStages(Placement placement, int64_t stages, int64_t chunks);

/// Orders a problem as a schedule does, and verifies the answer: also that it keeps to what its row says. Fails if the
/// problem is none, or not one for this schedule.
Fault solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule);

// Of each row: order##Function, whose definition says its memory, its time and its source.
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS)                              \
  Fault order##FUNCTION(const ScheduleProblem &problem, Schedule &schedule);
#include "plc/Planner/Schedule/Schedules.def"

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::ScheduleKind> {
  static constexpr const char *noun = "schedule";
  static std::span<const planner::ScheduleFamily> rows();
  static std::span<const char *const> planned() { return {}; }
};

#endif

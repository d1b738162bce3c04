//===- Schedules.h - the table of schedules ---------------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULES_H
#define PLC_PLANNER_SCHEDULE_SCHEDULES_H

#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Support/Choice.h"

namespace plc::planner {

/// The schedules, by the rows of Schedules.def.
enum class ScheduleKind {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS) ENUMERATOR,
#include "plc/Planner/Schedule/Schedules.def"
};

/// The rank map that a schedule needs: any, round robin (loop) or V-shape (vShape).
///
///   stages 0 to 5 on 3 ranks    loop    vShape
///   rank 0                      0, 3    0, 5
///   rank 1                      1, 4    1, 4
///   rank 2                      2, 5    2, 3
enum class Placement { any, loop, vShape };

/// The input of an order: the shape of the pipeline alone, times as well, or the text of a file (`ScheduleFile`).
enum class OrderSource { shape, times, text };

/// A row of the table of schedules.
struct ScheduleFamily {
  const char *name;
  /// Orders a checked problem. Fails if the schedule does not suit it.
  Status (*order)(const ScheduleProblem &problem, Schedule &schedule);
  OrderSource follows;
  bool splitsBackward; ///< other tasks may run between B and W of a micro-batch
  Placement placement; ///< the only rank map that it orders
  int64_t chunks;      ///< default stages of each rank
};

/// The rank of each stage with `chunks` stages on each rank: V-shape, or round robin for any other placement.
std::vector<int64_t> rankMapOf(Placement placement, int64_t stages, int64_t chunks);

/// Orders a problem by a schedule, and verifies the answer, and what the schedule's row promises. Fails if the problem
/// is not valid, or does not suit the schedule.
Status solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule);

// For each row order##Function; its definition says memory, time and source.
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS)                              \
  Status order##FUNCTION(const ScheduleProblem &problem, Schedule &schedule);
#include "plc/Planner/Schedule/Schedules.def"

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::ScheduleKind> {
  static constexpr const char *noun = "schedule";
  static std::span<const planner::ScheduleFamily> rows();
};

#endif

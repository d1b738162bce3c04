//===- Gantt.h - a step as a Gantt chart of text ----------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_GANTT_H
#define PLC_PLANNER_SCHEDULE_GANTT_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// Draws a simulated schedule as text of `columns` columns: a row for each rank, time from left to right, a ruler
/// below. A job is its letter and a line; with several stages on a rank the stage's number follows the letter if it
/// fits. Dots are idle time. A column shows the job that takes most of it, so a job much shorter than a column may not
/// be visible.
///
///   rank 0  F--F--......B-----...B-----
///   rank 1  ...F--B-----F--B-----......
///           0                     27 ns
std::string drawGantt(const ScheduleProblem &problem, const Schedule &schedule, const Simulation &simulation,
                      int64_t columns);

} // namespace plc::planner

#endif

//===- Gantt.h - a step as text ---------------------------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_GANTT_H
#define PLC_PLANNER_SCHEDULE_GANTT_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// A row for each rank, time from left to right, all in `columns`, and a ruler below. A job is its letter and a line behind it; where
/// a rank has several stages the letter is followed by the stage's number, if there is room. Idle time is dots. A column
/// shows what takes most of its time, so a job that is much shorter than a column may not be seen.
///
///   rank 0  F--F--......B-----...B-----
///   rank 1  ...F--B-----F--B-----......
///           0                     27 ns
std::string drawGantt(const ScheduleProblem &problem, const Schedule &schedule, const Simulation &simulation,
                      int64_t columns);

} // namespace plc::planner

#endif

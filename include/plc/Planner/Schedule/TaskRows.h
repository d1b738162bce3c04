//===- TaskRows.h - the tasks of a rank as text -----------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_TASKROWS_H
#define PLC_PLANNER_SCHEDULE_TASKROWS_H

#include "plc/Planner/Schedule/Schedule.h"

#include <optional>
#include <string_view>

namespace plc::planner {

/// "0F0,0F1,0B0,0B1": stage, kind, micro-batch of each task.
std::string writeTasks(const std::vector<ScheduledTask> &tasks);
/// Nothing if the text is no such row.
std::optional<std::vector<ScheduledTask>> readTasks(std::string_view row);

} // namespace plc::planner

#endif

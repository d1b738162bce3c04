//===- TaskRows.h - a rank's tasks as text ----------------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_TASKROWS_H
#define PLC_PLANNER_SCHEDULE_TASKROWS_H

#include "plc/Planner/Schedule/Schedule.h"

#include <optional>
#include <string_view>

namespace plc::planner {

/// Writes tasks as stage, kind, micro-batch: "0F0,0F1,0B0,0B1".
std::string writeTasks(const std::vector<ScheduledTask> &tasks);
/// Reads such a row; returns nothing if the text is none.
std::optional<std::vector<ScheduledTask>> readTasks(std::string_view row);

} // namespace plc::planner

#endif

//===- TaskRows.cpp - a rank's tasks as text ------------------------------===//
#include "plc/Planner/Schedule/TaskRows.h"

#include <charconv>

using namespace plc::planner;

static constexpr std::string_view letters = "FBW"; // by TaskKind

std::string plc::planner::writeTasks(const std::vector<ScheduledTask> &tasks) {
  std::string text;
  for (const ScheduledTask &task : tasks)
    text += (text.empty() ? "" : ",") + std::to_string(task.stage) + letters[size_t(task.kind)] +
            std::to_string(task.microBatch);
  return text;
}

/// Takes a number off the front.
static bool take(std::string_view &text, int64_t &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return false;
  text.remove_prefix(size_t(end - text.data()));
  return true;
}

std::optional<std::vector<ScheduledTask>> plc::planner::readTasks(std::string_view row) {
  std::vector<ScheduledTask> tasks;
  while (!row.empty()) {
    if (!tasks.empty()) {
      if (row.front() != ',')
        return std::nullopt;
      row.remove_prefix(1);
    }
    ScheduledTask &task = tasks.emplace_back();
    if (!take(row, task.stage) || row.empty())
      return std::nullopt;
    size_t kind = letters.find(row.front());
    if (kind == std::string_view::npos)
      return std::nullopt;
    task.kind = TaskKind(kind);
    row.remove_prefix(1);
    if (!take(row, task.microBatch))
      return std::nullopt;
  }
  return tasks;
}

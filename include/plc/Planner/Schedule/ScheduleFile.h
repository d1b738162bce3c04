//===- ScheduleFile.h - schedules as people's tables ------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULEFILE_H
#define PLC_PLANNER_SCHEDULE_SCHEDULEFILE_H

#include "plc/Planner/Schedule/Schedule.h"

#include <string_view>

namespace plc::planner {

/// A schedule in the form that PyTorch's `_PipelineSchedule` reads and writes (compute alone): comma-separated values,
/// one row per rank, and in a row what it runs, in order: stage, task, micro-batch. Cells may be empty. A byte order mark in
/// front is skipped.
///
///   0F0,0F1,,0B0,0B1
///   1F0,1I0,1F1,1I1,1W0,1W1
///
/// F is forward, I backward for inputs, W backward for parameters, B both: I and W in one go.
class ScheduleFile {
public:
  enum class Task { F, B, I, W };
  struct Cell {
    int64_t stage, microBatch;
    Task task;
    int64_t column; ///< from 1, in the text
  };
  struct Row {
    int64_t line; ///< from 1
    std::vector<Cell> cells;
  };
  /// What is wrong, and where, counted from 1, in bytes behind a byte order mark.
  struct Error {
    int64_t line, column;
    std::string text;
  };

  /// Reads and checks: stages from 0, each on one rank; micro-batches from 0, each task of a stage once for each of
  /// them, in index order; if anything runs backwards, all do.
  std::optional<Error> read(std::string_view text);

  int64_t microBatches() const { return counts.empty() ? 0 : counts.front()[int(Task::F)]; }
  /// The rank of each stage.
  const std::vector<int64_t> &place() const { return ranks; }
  /// The tasks that a problem has, in the order of the file. The answer is not verified.
  Fault order(const ScheduleProblem &problem, Schedule &schedule) const;
  /// Whether some I or W stands apart: without, each B is both, and no task comes between.
  bool splitsBackward() const;

private:
  std::optional<Error> addCell(std::string_view text, int64_t line, int64_t column);
  std::optional<Error> checkComplete() const;
  Error miscounted(int64_t stage, Task task) const;

  std::vector<Row> rows;
  std::vector<int64_t> ranks;                 // by stage; -1: none yet
  std::vector<std::array<int64_t, 4>> counts; // by stage and task: how many have been read
};

/// A schedule as such a file: B where W follows at once or there is none.
std::string writeSchedule(const ScheduleProblem &problem, const Schedule &schedule);

} // namespace plc::planner

#endif

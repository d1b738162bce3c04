//===- ScheduleFile.h - schedules as tables ---------------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULEFILE_H
#define PLC_PLANNER_SCHEDULE_SCHEDULEFILE_H

#include "plc/Planner/Schedule/Schedule.h"

#include <string_view>

namespace plc::planner {

/// A schedule in the format of PyTorch's `_PipelineSchedule` (compute only): comma-separated values, one row per rank,
/// and in a row its tasks in order: stage, task, micro-batch. Cells may be empty. A byte order mark is skipped.
///
///   0F0,0F1,,0B0,0B1
///   1F0,1I0,1F1,1I1,1W0,1W1
///
/// F is forward, I backward for inputs, W backward for parameters, B is I and W in one.
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
  /// An error at a position counted from 1, in bytes behind a byte order mark.
  struct Error {
    int64_t line, column;
    std::string text;
  };

  /// Reads and checks a table: stages from 0, each on one rank; micro-batches from 0, each task of a stage once for
  /// each of them, in index order; if anything runs backward, all stages do.
  std::optional<Error> read(std::string_view text);

  int64_t microBatches() const { return counts.empty() ? 0 : counts.front()[int(Task::F)]; }
  /// The rank of each stage.
  const std::vector<int64_t> &rankMap() const { return ranks; }
  /// Orders the tasks of a problem as the table does. The answer is not verified.
  Status order(const ScheduleProblem &problem, Schedule &schedule) const;
  /// Whether some I or W stands alone. Otherwise each backward is full, and no task comes between B and W.
  bool splitsBackward() const;

private:
  std::optional<Error> addCell(std::string_view text, int64_t line, int64_t column);
  std::optional<Error> checkComplete() const;
  Error miscounted(int64_t stage, Task task) const;

  std::vector<Row> rows;
  std::vector<int64_t> ranks;                 // by stage; -1: none yet
  std::vector<std::array<int64_t, 4>> counts; // by stage and task: how many were read
};

/// Writes a schedule in this format, with B where W follows at once or does not exist.
std::string writeSchedule(const ScheduleProblem &problem, const Schedule &schedule);

} // namespace plc::planner

#endif

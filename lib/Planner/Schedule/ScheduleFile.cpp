//===- ScheduleFile.cpp - schedules as tables -----------------------------===//
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Support/Counted.h"

#include <algorithm>
#include <charconv>

using namespace plc::planner;

namespace {

constexpr std::string_view letters = "FBIW";
constexpr int64_t mostStages = 1024, mostMicroBatches = 4096; // far above real schedules: a typo costs no memory

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string nameOf(int64_t stage, ScheduleFile::Task task, int64_t microBatch) {
  return std::to_string(stage) + letters[int(task)] + std::to_string(microBatch);
}

// Takes a number off the front; -1 if there is none.
int64_t takeNumber(std::string_view &text) {
  int64_t number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return -1;
  text.remove_prefix(end - text.data());
  return number;
}

// Adds the tasks of a cell that the problem has. A stage with one backward task runs it at B, or at its own letter.
void addTasks(const ScheduleProblem &problem, const ScheduleFile::Cell &cell, std::vector<ScheduledTask> &order) {
  using Task = ScheduleFile::Task;
  const auto &has = problem.stages[cell.stage].has;
  auto add = [&](TaskKind kind, bool named) {
    if (named && has[int(kind)])
      order.push_back({cell.stage, kind, cell.microBatch});
  };
  // B before W at a cell B: that is the full backward.
  add(TaskKind::F, cell.task == Task::F);
  add(TaskKind::B, cell.task == Task::B || cell.task == Task::I);
  add(TaskKind::W, cell.task == Task::B || cell.task == Task::W);
}

} // namespace

// Reads one cell and checks it against the cells before it.
std::optional<ScheduleFile::Error> ScheduleFile::addCell(std::string_view text, int64_t line, int64_t column) {
  std::string_view rest = text;
  int64_t stage = takeNumber(rest);
  size_t letter = stage < 0 || rest.empty() ? std::string_view::npos : letters.find(rest.front());
  if (letter != std::string_view::npos)
    rest.remove_prefix(1);
  int64_t microBatch = letter == std::string_view::npos ? -1 : takeNumber(rest);
  if (microBatch < 0 || !rest.empty()) {
    // Tables of other frameworks also list messages and all-gathers of shards; the error says to leave them out.
    bool moves = text.find("SEND") != text.npos || text.find("RECV") != text.npos || text.find("SHARD") != text.npos;
    return Error{line, column,
                 quoted(text) + (moves ? " is no computation: leave messages out, they are planned"
                                       : " is no task: write its stage, F, B, I or W, and its micro-batch, as '0F1'")};
  }
  if (stage >= mostStages || microBatch >= mostMicroBatches)
    return Error{line, column,
                 quoted(text) + " is beyond " + std::to_string(mostStages) + " stages and " +
                     std::to_string(mostMicroBatches) + " micro-batches"};
  // Stages appear in any order; the number of stages is the largest that occurs.
  if (stage >= int64_t(ranks.size())) {
    ranks.resize(stage + 1, -1);
    counts.resize(stage + 1);
  }
  int64_t rank = int64_t(rows.size()) - 1;
  if (ranks[stage] >= 0 && ranks[stage] != rank)
    return Error{line, column,
                 quoted(text) + " is on rank " + std::to_string(rank) + " but stage " + std::to_string(stage) +
                     " is on rank " + std::to_string(ranks[stage])};
  ranks[stage] = rank;
  Task task = Task(letter);
  // B counts as I and W, so that either form of backward continues the other.
  std::array<int64_t, 4> &count = counts[stage];
  int64_t next = task == Task::B   ? std::max(count[int(Task::I)], count[int(Task::W)])
                 : task == Task::F ? count[int(Task::F)]
                                   : count[int(task)];
  if (microBatch < next)
    return Error{line, column, quoted(text) + " has run before" + (task == Task::F ? "" : "; B is I and W")};
  if (microBatch != next)
    return Error{line, column, quoted(text) + " stands where " + quoted(nameOf(stage, task, next)) + " is next"};
  // A full backward needs both halves of all micro-batches before it.
  if (task == Task::B && count[int(Task::I)] != count[int(Task::W)])
    return Error{line, column,
                 quoted(text) + " stands before " +
                     quoted(nameOf(stage, Task::W, std::min(count[int(Task::I)], count[int(Task::W)])))};
  for (Task each : {Task::I, Task::W})
    count[int(each)] += task == Task::B || task == each;
  count[int(Task::F)] += task == Task::F;
  rows.back().cells.push_back({stage, microBatch, task, column});
  return std::nullopt;
}

// The error of a task whose count differs from that of stage 0, or of the stage's forward pass: the missing cell, in
// the letters that the file uses, or the first cell too many.
ScheduleFile::Error ScheduleFile::miscounted(int64_t stage, Task task) const {
  const Row &row = rows[ranks[stage]];
  const std::array<int64_t, 4> &count = counts[stage];
  int64_t microBatch = count[int(task)], all = microBatches();
  std::string has = "stage 0 has " + counted(all, "micro-batch");
  // Too many: point at the first cell beyond stage 0's count.
  if (microBatch > all)
    for (const Cell &cell : row.cells)
      if (cell.stage == stage && cell.microBatch == all &&
          (cell.task == task || (task != Task::F && cell.task == Task::B)))
        return {row.line, cell.column, quoted(nameOf(stage, cell.task, all)) + " is one too many: " + has};
  bool writesB = std::any_of(rows.begin(), rows.end(), [](const Row &each) {
    return std::any_of(each.cells.begin(), each.cells.end(), [](const Cell &cell) { return cell.task == Task::B; });
  });
  // A file that writes B elsewhere misses a B here, not an I and a W.
  if (writesB && task == Task::I && count[int(Task::I)] == count[int(Task::W)])
    task = Task::B;
  return {row.line, row.cells.back().column, quoted(nameOf(stage, task, microBatch)) + " is missing: " + has};
}

std::optional<ScheduleFile::Error> ScheduleFile::checkComplete() const {
  if (ranks.empty())
    return Error{1, 1, "has no task"};
  for (const Row &row : rows)
    if (row.cells.empty())
      return Error{row.line, 1, "rank " + std::to_string(&row - rows.data()) + " has no task"};
  // A table without any backward task is one of an inference program.
  bool backward = std::any_of(counts.begin(), counts.end(), [](const auto &count) { return count[2] || count[3]; });
  for (size_t stage = 0; stage < ranks.size(); ++stage) {
    if (ranks[stage] < 0)
      return Error{rows.front().line, 1, "stage " + std::to_string(stage) + " is on no rank"};
    for (Task task : {Task::F, Task::I, Task::W})
      if (counts[stage][int(task)] != (task == Task::F || backward ? microBatches() : 0))
        return miscounted(int64_t(stage), task);
  }
  return std::nullopt;
}

std::optional<ScheduleFile::Error> ScheduleFile::read(std::string_view text) {
  *this = {};
  // Some editors write a byte order mark.
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  // Empty lines at the end are allowed.
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  for (int64_t line = 1; !text.empty(); ++line) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    rows.push_back({line, {}});
    for (size_t begin = 0; begin <= row.size();) {
      size_t end = std::min(row.find(',', begin), row.size());
      size_t first = row.find_first_not_of(" \t\r\"", begin), last = row.find_last_not_of(" \t\r\"", end ? end - 1 : 0);
      if (first < end && end > begin)
        if (auto error = addCell(row.substr(first, last + 1 - first), line, int64_t(first) + 1))
          return error;
      begin = end + 1;
    }
  }
  return checkComplete();
}

Status ScheduleFile::order(const ScheduleProblem &problem, Schedule &schedule) const {
  if (ranks.size() != problem.stages.size())
    return "has " + std::to_string(ranks.size()) + " stages but the program has " +
           std::to_string(problem.stages.size());
  if (microBatches() != problem.microBatches)
    return "has " + std::to_string(microBatches()) + " micro-batches but the program has " +
           std::to_string(problem.microBatches);
  schedule.ranks.assign(rows.size(), {});
  for (size_t rank = 0; rank < rows.size(); ++rank)
    for (const Cell &cell : rows[rank].cells)
      addTasks(problem, cell, schedule.ranks[rank]);
  return std::nullopt;
}

bool ScheduleFile::splitsBackward() const {
  return std::any_of(rows.begin(), rows.end(), [](const Row &row) {
    return std::any_of(row.cells.begin(), row.cells.end(),
                       [](const Cell &cell) { return cell.task == Task::I || cell.task == Task::W; });
  });
}

Status plc::planner::orderFile(const ScheduleProblem &, Schedule &) {
  return "schedule 'file' needs the file that holds the order";
}

std::string plc::planner::writeSchedule(const ScheduleProblem &problem, const Schedule &schedule) {
  using Task = ScheduleFile::Task;
  std::string text;
  for (const std::vector<ScheduledTask> &rank : schedule.ranks) {
    bool first = true;
    for (size_t k = 0; k < rank.size(); ++k) {
      const ScheduledTask &job = rank[k];
      const auto &has = problem.stages[job.stage].has;
      Task task = job.kind == TaskKind::F ? Task::F : job.kind == TaskKind::B ? Task::I : Task::W;
      // Neighbouring halves are written as one B, as most tables do.
      if (job.kind != TaskKind::F && !(has[1] && has[2])) {
        task = Task::B; // the only backward task
      } else if (job.kind == TaskKind::B && k + 1 < rank.size() &&
                 rank[k + 1] == ScheduledTask{job.stage, TaskKind::W, job.microBatch}) {
        task = Task::B;
        ++k;
      }
      text += (first ? "" : ",") + nameOf(job.stage, task, job.microBatch);
      first = false;
    }
    text += "\n";
  }
  return text;
}

//===- Gantt.cpp - a step as a Gantt chart of text ------------------------===//
#include "plc/Planner/Schedule/Gantt.h"

#include "plc/Planner/Base/Format.h"

#include <algorithm>

using namespace plc::planner;

namespace {

constexpr int64_t leastCells = 10; // narrower charts would show nothing; not tuned

/// The job that takes most of each cell of a rank's row, by its position, or -1 for idle time.
std::vector<int64_t> owners(const std::vector<int64_t> &start, const std::vector<int64_t> &end, int64_t makespan,
                            int64_t cells) {
  std::vector<double> begin;
  for (int64_t cell = 0; cell <= cells; ++cell)
    begin.push_back(double(makespan) * double(cell) / double(cells));
  std::vector<int64_t> owner(cells, -1);
  std::vector<double> most(cells), idle(cells);
  for (int64_t cell = 0; cell < cells; ++cell)
    idle[cell] = begin[cell + 1] - begin[cell];
  for (size_t job = 0; job < start.size(); ++job) {
    // Each job visits only the cells that it overlaps.
    int64_t first = std::upper_bound(begin.begin(), begin.end(), double(start[job])) - begin.begin() - 1;
    for (int64_t cell = first; cell < cells && begin[cell] < double(end[job]); ++cell) {
      double part = std::min(double(end[job]), begin[cell + 1]) - std::max(double(start[job]), begin[cell]);
      idle[cell] -= part;
      if (part > most[cell]) {
        most[cell] = part;
        owner[cell] = job;
      }
    }
  }
  for (int64_t cell = 0; cell < cells; ++cell)
    // Idle time competes like a job, so a gap is not drawn as work.
    if (idle[cell] > most[cell])
      owner[cell] = -1;
  return owner;
}

std::string drawRow(const std::vector<ScheduledTask> &jobs, const std::vector<int64_t> &owner, bool showsStages) {
  std::string row;
  for (size_t cell = 0; cell < owner.size();) {
    size_t end = cell;
    while (end < owner.size() && owner[end] == owner[cell])
      ++end;
    if (owner[cell] < 0) {
      row.append(end - cell, '.');
    } else {
      const ScheduledTask &job = jobs[owner[cell]];
      std::string text(1, "FBW"[int(job.kind)]), stage = std::to_string(job.stage);
      // At least one '-' follows the number, so that it does not run into the next job's letter.
      if (showsStages && end - cell > 1 + stage.size())
        text += stage;
      row += text + std::string(end - cell - text.size(), '-');
    }
    cell = end;
  }
  return row;
}

} // namespace

std::string plc::planner::drawGantt(const ScheduleProblem &problem, const Schedule &schedule,
                                    const Simulation &simulation, int64_t columns) {
  std::vector<int64_t> stagesOf(schedule.ranks.size());
  for (const ScheduleProblem::Stage &stage : problem.stages)
    ++stagesOf[stage.rank];
  // Rows begin in one column, whatever the number of ranks.
  size_t digits = std::to_string(schedule.ranks.size() - 1).size();
  int64_t label = int64_t(std::string("rank ").size() + digits + 2);
  int64_t cells = std::max(columns - label, leastCells);
  std::string text;
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    std::string number = std::to_string(rank);
    text += "rank " + std::string(digits - number.size(), ' ') + number + "  ";
    text +=
        drawRow(schedule.ranks[rank], owners(simulation.start[rank], simulation.end[rank], simulation.makespan, cells),
                stagesOf[rank] > 1) +
        "\n";
  }
  std::string end = formatNs(simulation.makespan);
  text += std::string(label, ' ') + "0" + std::string(std::max<int64_t>(cells - int64_t(end.size()) - 1, 1), ' ') +
          end + "\n";
  return text;
}

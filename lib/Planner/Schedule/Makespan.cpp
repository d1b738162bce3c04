//===- Makespan.cpp - the simulation of a schedule ------------------------===//
#include "plc/Planner/Schedule/Schedule.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// The end of each job, or -1 while it has not run.
class Ends {
public:
  Ends(const ScheduleProblem &problem)
      : microBatches(problem.microBatches), ends(problem.stages.size() * 3 * microBatches, -1) {}
  int64_t &at(int64_t stage, TaskKind kind, int64_t microBatch) {
    return ends[(stage * 3 + int64_t(kind)) * microBatches + microBatch];
  }

private:
  int64_t microBatches;
  std::vector<int64_t> ends;
};

} // namespace

Status plc::planner::simulate(const ScheduleProblem &problem, const Schedule &schedule, Simulation &simulation) {
  size_t ranks = schedule.ranks.size();
  Ends ends(problem);
  std::vector<int64_t> clock(ranks, 0);
  std::vector<size_t> next(ranks, 0);
  simulation = {};
  simulation.start.resize(ranks);
  simulation.end.resize(ranks);
  simulation.position.resize(ranks);
  std::vector<std::vector<int64_t>> into = problem.dependencesInto();
  // When a job's dependences allow it to start, or -1 if one of them has not run.
  auto readyAt = [&](const ScheduledTask &job) {
    int64_t ready = 0;
    for (int64_t index : into[ScheduleProblem::nodeOf(job.stage, job.kind)]) {
      const ScheduleProblem::Dependence &each = problem.dependences[index];
      int64_t end = ends.at(each.source, each.from, job.microBatch);
      if (end < 0)
        return int64_t(-1);
      ready = std::max(ready, end + problem.scaled(each.ns, job.microBatch));
    }
    return ready;
  };
  int64_t position = 0, busy = 0;
  // Each pass runs every rank as far as it gets. A pass without progress is the end, or a deadlock.
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t rank = 0; rank < ranks; ++rank)
      for (; next[rank] < schedule.ranks[rank].size(); ++next[rank]) {
        const ScheduledTask &job = schedule.ranks[rank][next[rank]];
        int64_t ready = readyAt(job);
        if (ready < 0)
          break;
        int64_t start = std::max(ready, clock[rank]), ns = problem.nsOf(job);
        clock[rank] = ends.at(job.stage, job.kind, job.microBatch) = start + ns;
        simulation.start[rank].push_back(start);
        simulation.end[rank].push_back(start + ns);
        // Positions number the jobs in an order that respects all waits.
        simulation.position[rank].push_back(position++);
        simulation.makespan = std::max(simulation.makespan, start + ns);
        busy += ns;
        progress = true;
      }
  }
  std::string waiting;
  for (size_t rank = 0; rank < ranks; ++rank)
    if (next[rank] < schedule.ranks[rank].size())
      waiting += (waiting.empty() ? "" : "; ") + describe(schedule.ranks[rank][next[rank]]);
  // Ranks that have jobs left wait for each other.
  if (!waiting.empty())
    return "the order never ends, these wait: " + waiting;
  if (simulation.makespan)
    simulation.bubble = 1 - double(busy) / (double(simulation.makespan) * double(ranks));
  return std::nullopt;
}

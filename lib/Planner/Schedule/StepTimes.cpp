//===- StepTimes.cpp - how ranks spend a step -----------------------------===//
#include "plc/Planner/Schedule/StepTimes.h"

#include <algorithm>
#include <cassert>

using namespace plc::planner;

namespace {

int64_t makespanOf(const ScheduleProblem &problem, const Schedule &schedule) {
  Simulation simulation;
  Status fault = simulate(problem, schedule, simulation);
  assert(!fault && "the order ends whatever its jobs take");
  (void)fault;
  return simulation.makespan;
}

} // namespace

std::vector<RankTimes> plc::planner::timesOf(const ScheduleProblem &problem, const Schedule &schedule,
                                             const Simulation &simulation) {
  std::vector<std::vector<int64_t>> into = problem.dependencesInto();
  // Ends by task and micro-batch, since dependences name tasks and not positions in an order.
  std::vector<std::vector<int64_t>> ends(problem.stages.size() * 3, std::vector<int64_t>(problem.microBatches));
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
      const ScheduledTask &job = schedule.ranks[rank][i];
      ends[ScheduleProblem::nodeOf(job.stage, job.kind)][job.microBatch] = simulation.end[rank][i];
    }
  std::vector<RankTimes> times(schedule.ranks.size());
  for (size_t rank = 0; rank < times.size(); ++rank) {
    int64_t clock = 0;
    for (size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
      const ScheduledTask &job = schedule.ranks[rank][i];
      int64_t start = simulation.start[rank][i], idle = start - clock, last = -1, way = 0;
      // A rank waits for the dependence that arrives last; at equal times, for the one with the longest message.
      for (int64_t index : into[ScheduleProblem::nodeOf(job.stage, job.kind)]) {
        const ScheduleProblem::Dependence &each = problem.dependences[index];
        int64_t ns = problem.scaled(each.ns, job.microBatch);
        int64_t end = ends[ScheduleProblem::nodeOf(each.source, each.from)][job.microBatch];
        if (end + ns == start && (last < 0 || ns > way)) {
          last = index;
          way = ns;
        }
      }
      if (idle > 0 && last >= 0) {
        // The message's part of the wait first; the rest is the other rank's job.
        int64_t travels = std::min(idle, way);
        if (travels)
          times[rank].waitsForWay[last] += travels;
        if (idle > travels)
          times[rank].waitsForRank[problem.stages[problem.dependences[last].source].rank] += idle - travels;
      }
      clock = simulation.end[rank][i];
      times[rank].busyNs += clock - start;
    }
    // Behind its last task a rank waits for the others: that is no wait for a message.
    times[rank].doneNs = simulation.makespan - clock;
  }
  return times;
}

// The order stays: the difference is what shorter tasks give by themselves.
int64_t plc::planner::savedBy(const ScheduleProblem &problem, const Schedule &schedule,
                              const std::vector<ScheduleProblem::Stage> &stages) {
  ScheduleProblem other = problem;
  other.stages = stages;
  return makespanOf(problem, schedule) - makespanOf(other, schedule);
}

int64_t plc::planner::savedWithoutTransfers(const ScheduleProblem &problem, const Schedule &schedule) {
  ScheduleProblem other = problem;
  for (ScheduleProblem::Dependence &each : other.dependences)
    each.ns = 0;
  return makespanOf(problem, schedule) - makespanOf(other, schedule);
}

// Simulated and not derived: with a tenth less, the critical path may move to another rank.
int64_t plc::planner::savedByTenth(const ScheduleProblem &problem, const Schedule &schedule, int64_t rank) {
  std::vector<ScheduleProblem::Stage> stages = problem.stages;
  for (ScheduleProblem::Stage &stage : stages)
    for (int64_t &ns : stage.ns)
      ns -= stage.rank == rank ? ns / 10 : 0;
  return savedBy(problem, schedule, stages);
}

//===- Pipelines.cpp - the orders of gpipe and 1f1b -----------------------===//
#include "plc/Planner/Schedule.h"

#include <algorithm>
#include <tuple>

using namespace plc::planner;

namespace {

// Appends the tasks of a stage for one micro-batch: F, or B and W in one go.
void add(const ScheduleProblem::Stage &stage, int64_t index, bool forward, int64_t microBatch,
         std::vector<ScheduledTask> &order) {
  if (forward && stage.has[0])
    order.push_back({index, TaskKind::F, microBatch});
  for (TaskKind kind : {TaskKind::B, TaskKind::W})
    if (!forward && stage.has[int(kind)])
      order.push_back({index, kind, microBatch});
}

// One order per stage becomes one per rank. Ranks with several stages interleave them as they would run if each
// stage had a rank of its own: starts respect dependences, and so does the order of starts.
Fault mergeOnRanks(const ScheduleProblem &problem, const Schedule &byStage, Schedule &schedule) {
  ScheduleProblem apart = problem;
  for (size_t stage = 0; stage < apart.stages.size(); ++stage)
    apart.stages[stage].rank = stage;
  Simulation simulation;
  if (Fault fault = simulate(apart, byStage, simulation))
    return fault;
  using Timed = std::tuple<int64_t, int64_t, ScheduledTask>;
  std::vector<std::vector<Timed>> timed(problem.numRanks());
  for (size_t stage = 0; stage < byStage.ranks.size(); ++stage)
    for (size_t i = 0; i < byStage.ranks[stage].size(); ++i)
      timed[problem.stages[stage].rank].emplace_back(simulation.start[stage][i], simulation.place[stage][i],
                                                     byStage.ranks[stage][i]);
  schedule.ranks.assign(timed.size(), {});
  for (size_t rank = 0; rank < timed.size(); ++rank) {
    std::sort(timed[rank].begin(), timed[rank].end(), [](const Timed &a, const Timed &b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (const Timed &each : timed[rank])
      schedule.ranks[rank].push_back(std::get<2>(each));
  }
  return std::nullopt;
}

bool isForwardOnly(const ScheduleProblem &problem) {
  return std::none_of(problem.stages.begin(), problem.stages.end(),
                      [](const auto &stage) { return stage.has[1] || stage.has[2]; });
}

} // namespace

// S = 3, M = 4, one row per stage:
//
//   0 1 2 3 . . . . 0 0 1 1 ...     forwards, then backwards
//   . 0 1 2 3 . . 0 0 1 1 ...
//   . . 0 1 2 3 0 0 1 1 ...
Fault plc::planner::scheduleGPipe(const ScheduleProblem &problem, Schedule &schedule) {
  if (Fault fault = problem.check())
    return fault;
  Schedule byStage;
  for (size_t s = 0; s < problem.stages.size(); ++s) {
    std::vector<ScheduledTask> &order = byStage.ranks.emplace_back();
    for (bool forward : {true, false})
      for (int64_t i = 0; i < problem.microBatches; ++i)
        add(problem.stages[s], s, forward, i, order);
  }
  return mergeOnRanks(problem, byStage, schedule);
}

// S = 3, M = 4: f and b of each stage
//
//   f0 f1 f2 b0 f3 b1 b2 b3         warm-up of S-1-s forwards, then pairs, then the backwards left
//   f0 f1 b0 f2 b1 f3 b2 b3
//   f0 b0 f1 b1 f2 b2 f3 b3
Fault plc::planner::schedule1F1B(const ScheduleProblem &problem, Schedule &schedule) {
  if (Fault fault = problem.check())
    return fault;
  if (isForwardOnly(problem))
    return scheduleGPipe(problem, schedule);
  Schedule byStage;
  int64_t stages = problem.stages.size(), microBatches = problem.microBatches;
  for (int64_t s = 0; s < stages; ++s) {
    std::vector<ScheduledTask> &order = byStage.ranks.emplace_back();
    int64_t warmUp = std::min(microBatches, stages - 1 - s);
    for (int64_t i = 0; i < warmUp; ++i)
      add(problem.stages[s], s, true, i, order);
    for (int64_t i = warmUp; i < microBatches; ++i) {
      add(problem.stages[s], s, true, i, order);
      add(problem.stages[s], s, false, i - warmUp, order);
    }
    for (int64_t i = microBatches - warmUp; i < microBatches; ++i)
      add(problem.stages[s], s, false, i, order);
  }
  return mergeOnRanks(problem, byStage, schedule);
}

int64_t plc::planner::inFlight(const std::string &family, int64_t stage, int64_t stages, int64_t microBatches) {
  return family == "gpipe" ? microBatches : std::min(microBatches, stages - stage);
}

//===- StageOrders.cpp - orders of stages, merged on ranks ----------------===//
#include "StageOrders.h"

#include <algorithm>
#include <tuple>

using namespace plc::planner;

void StageOrders::add(int64_t stage, TaskKind kind, int64_t microBatch) {
  if (problem.stages[stage].has[int(kind)])
    orders.ranks[stage].push_back({stage, kind, microBatch});
}

Status StageOrders::mergeOnRanks(Schedule &schedule) const {
  // Simulate with a rank for each stage, then sort the tasks of a real rank by start.
  ScheduleProblem apart = problem;
  for (size_t stage = 0; stage < apart.stages.size(); ++stage)
    apart.stages[stage].rank = stage;
  Simulation simulation;
  if (Status fault = simulate(apart, orders, simulation))
    return fault;
  using Timed = std::tuple<int64_t, int64_t, ScheduledTask>;
  std::vector<std::vector<Timed>> timed(problem.numRanks());
  for (size_t stage = 0; stage < orders.ranks.size(); ++stage)
    for (size_t i = 0; i < orders.ranks[stage].size(); ++i)
      timed[problem.stages[stage].rank].emplace_back(simulation.start[stage][i], simulation.position[stage][i],
                                                     orders.ranks[stage][i]);
  schedule.ranks.assign(timed.size(), {});
  for (size_t rank = 0; rank < timed.size(); ++rank) {
    // At equal starts the position in the simulation decides: a task without duration keeps its successor behind it.
    std::sort(timed[rank].begin(), timed[rank].end(), [](const Timed &a, const Timed &b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (const Timed &each : timed[rank])
      schedule.ranks[rank].push_back(std::get<2>(each));
  }
  return std::nullopt;
}

bool plc::planner::isForwardOnly(const ScheduleProblem &problem) {
  return std::none_of(problem.stages.begin(), problem.stages.end(), [](const ScheduleProblem::Stage &stage) {
    return stage.has[int(TaskKind::B)] || stage.has[int(TaskKind::W)];
  });
}

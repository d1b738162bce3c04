//===- ScheduleBoundTest.cpp - bounds of orders beside all orders ---------===//
#include "ScheduleOracle.h"

#include "plc/Planner/Schedule/Schedules.h"

#include <gtest/gtest.h>

using namespace plc::planner;

namespace {

int64_t makespanOf(const ScheduleProblem &problem, const Schedule &schedule) {
  Simulation simulation;
  EXPECT_EQ(problem.verify(schedule), std::nullopt);
  EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
  return simulation.makespan;
}

// Stages without B or W, unequal micro-batches, two stages on a rank: no order is below the bound, nor is the best of
// the named schedules.
TEST(ScheduleBound, IsNeverAboveTheOptimum) {
  std::mt19937_64 random(3);
  int64_t bounds = 0, optima = 0;
  for (int64_t round = 0; round < 40; ++round) {
    int64_t chunks = round % 4 == 3 ? 2 : 1, ranks = chunks == 2 ? 2 : 2 + round % 2,
            microBatches = chunks == 2 ? 2 : 2 + round % 3 % 2;
    ScheduleProblem problem = randomProblem(random, ranks, microBatches, chunks);
    ASSERT_EQ(problem.check(), std::nullopt);
    int64_t optimum = ScheduleOracle(problem).optimum(), bound = problem.bound();
    EXPECT_LE(bound, optimum) << "round " << round;
    bounds += bound;
    optima += optimum;
    Schedule schedule;
    ASSERT_EQ(solve(plc::rowOf(ScheduleKind::automatic), problem, schedule), std::nullopt) << "round " << round;
    EXPECT_GE(makespanOf(problem, schedule), optimum) << "round " << round;
  }
  EXPECT_GE(bounds * 100, optima * 95);
}

TEST(AutoSchedule, IsTheBestNamedOne) {
  std::mt19937_64 random(5);
  ScheduleProblem problem = unequalPipeline(random, 3, 6);
  Schedule found;
  ASSERT_EQ(solve(plc::rowOf(ScheduleKind::automatic), problem, found), std::nullopt);
  bool isOne = false;
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    Schedule other;
    if (family.follows != OrderSource::shape || solve(family, problem, other))
      continue;
    EXPECT_LE(makespanOf(problem, found), makespanOf(problem, other)) << family.name;
    isOne = isOne || found.ranks == other.ranks;
  }
  EXPECT_TRUE(isOne);
}

} // namespace

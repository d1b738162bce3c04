//===- AutoScheduleTest.cpp - auto and the bound against all orders -------===//
#include "ScheduleOracle.h"

#include "plc/Planner/Schedules.h"

#include <gtest/gtest.h>

using namespace plc::planner;

namespace {

const ScheduleFamily &automatic = plc::rowOf(ScheduleKind::automatic);

int64_t makespanOf(const ScheduleProblem &problem, const Schedule &schedule) {
  Simulation simulation;
  EXPECT_EQ(problem.verify(schedule), std::nullopt);
  EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
  return simulation.makespan;
}

// Caps, residuals that B and W free apart, B that holds more than it frees, stages without B or W, unequal micro-batches,
// two stages on a rank.
TEST(AutoSchedule, EqualsTheOptimumOfSmallProblems) {
  std::mt19937_64 random(3);
  for (int64_t round = 0; round < 40; ++round) {
    int64_t chunks = round % 4 == 3 ? 2 : 1, ranks = chunks == 2 ? 2 : 2 + round % 2,
            microBatches = chunks == 2 ? 2 : 2 + round % 3 % 2;
    ScheduleProblem problem = randomProblem(random, ranks, microBatches, chunks);
    ASSERT_EQ(problem.check(), std::nullopt);
    int64_t optimum = ScheduleOracle(problem).optimum();
    EXPECT_LE(problem.bound(), optimum) << "round " << round;
    Schedule schedule;
    Fault fault = solve(automatic, problem, schedule);
    ASSERT_EQ(fault, std::nullopt) << "round " << round << ": " << *fault;
    EXPECT_EQ(makespanOf(problem, schedule), optimum) << "round " << round;
  }
}

ScheduleProblem unequal(int64_t stages, int64_t microBatches, int64_t cap, uint64_t seed = 5) {
  std::mt19937_64 random(seed);
  ScheduleProblem problem = unequalPipeline(random, stages, microBatches);
  problem.capBytes.assign(stages, cap);
  return problem;
}

// No worse than what it starts from, equal from run to run, and never more bytes than there are.
TEST(AutoSchedule, IsDeterministicAndNoWorseThanOthers) {
  ScheduleProblem problem = unequal(3, 6, 6);
  Schedule first, second;
  ASSERT_EQ(solve(automatic, problem, first), std::nullopt);
  ASSERT_EQ(solve(automatic, problem, second), std::nullopt);
  EXPECT_EQ(first.ranks, second.ranks);
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    Schedule other;
    if (!solve(family, problem, other)) {
      EXPECT_LE(makespanOf(problem, first), makespanOf(problem, other)) << family.name;
    }
  }
}

TEST(AutoSchedule, RefusesWhatFitsNoMemory) {
  ScheduleProblem problem = unequal(2, 3, 1);
  Schedule schedule;
  Fault fault = solve(automatic, problem, schedule);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->isNoPlan);
  EXPECT_EQ(*fault, "no plan fits: rank 0 holds 2 bytes of one micro-batch, limit 1");
}

// What the bound must know of memory, each alone: without it the bound is far below.
TEST(ScheduleBound, SeesMemory) {
  ScheduleProblem problem = unequal(3, 6, 2); // one micro-batch at a time
  EXPECT_EQ(problem.bound(), ScheduleOracle(problem).optimum());
  problem.capBytes.clear();
  for (auto &stage : problem.stages)
    stage.inFlight = 1;
  EXPECT_EQ(problem.bound(), ScheduleOracle(problem).optimum());
}

// Memory for two micro-batches: each rank alone knows of 93 % of the optimum, for then B of one ends in time for F of another,
// and W with it. Windows on all ranks see that not all of this can be.
TEST(ScheduleBound, SeesRanksTogether) {
  for (int64_t cap : {4, 5}) {
    ScheduleProblem problem = unequal(3, 4, cap);
    int64_t bound = problem.bound(), optimum = ScheduleOracle(problem).optimum();
    EXPECT_LE(bound, optimum) << cap;
    EXPECT_GE(bound * 1000, optimum * 999) << cap;
  }
}

// Of a small micro-batch the outer chunk of a rank holds less, too, so more of them fit. (With all bytes of a large one beside each
// the bound was 270 here, above an order of 264.)
TEST(ScheduleBound, SmallMicroBatchesOfChunks) {
  std::mt19937_64 random(3);
  ScheduleProblem problem;
  for (int round = 0; round <= 267; ++round) {
    int64_t chunks = 1 + round % 2, ranks = 2 + round / 2 % 3, microBatches = 5 + int64_t(random() % 14);
    problem = randomProblem(random, ranks, microBatches, chunks);
  }
  ASSERT_FALSE(problem.samples.empty());
  Schedule schedule;
  ASSERT_EQ(solve(automatic, problem, schedule), std::nullopt);
  EXPECT_LE(problem.bound(), makespanOf(problem, schedule));
}

} // namespace

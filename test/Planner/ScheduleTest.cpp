//===- ScheduleTest.cpp - closed forms, few micro-batches, wrong orders ---===//
#include "plc/Planner/Order.h"
#include "plc/Planner/Schedule.h"

#include <gtest/gtest.h>

using namespace plc::planner;

namespace {

// A pipeline of equal stages: F = 1, B = 1, W = 1.
ScheduleProblem pipeline(int64_t stages, int64_t microBatches, bool backward = true) {
  ScheduleProblem problem;
  problem.microBatches = microBatches;
  for (int64_t s = 0; s < stages; ++s) {
    problem.stages.push_back({s, {true, backward, backward}, {1, backward, backward}});
    if (s)
      problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F});
    if (s && backward)
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::B});
    if (backward) {
      problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
      problem.dependences.push_back({s, TaskKind::B, s, TaskKind::W});
    }
  }
  return problem;
}

using Generator = Fault (*)(const ScheduleProblem &, Schedule &);
const Generator generators[] = {scheduleGPipe, schedule1F1B};

// With one backward of 2, F = 1 and no communication, both take 3M + 3(S-1).
TEST(Schedule, ClosedForms) {
  for (Generator generate : generators)
    for (int64_t stages = 1; stages <= 6; ++stages)
      for (int64_t microBatches = 1; microBatches <= 9; ++microBatches) {
        ScheduleProblem problem = pipeline(stages, microBatches);
        for (auto &stage : problem.stages) // one backward of 2
          stage = {stage.rank, {true, true, false}, {1, 2, 0}};
        std::erase_if(problem.dependences, [](const auto &each) { return each.to == TaskKind::W; });
        Schedule schedule;
        Simulation simulation;
        ASSERT_EQ(generate(problem, schedule), std::nullopt);
        ASSERT_EQ(problem.verify(schedule), std::nullopt);
        ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
        EXPECT_EQ(simulation.makespan, 3 * microBatches + 3 * (stages - 1));
        EXPECT_EQ(problem.bound(), simulation.makespan);
      }
}

TEST(Schedule, BoundIsNeverAboveTheAnswer) {
  for (Generator generate : generators)
    for (int64_t stages = 1; stages <= 5; ++stages)
      for (int64_t microBatches = 1; microBatches <= 6; ++microBatches) {
        ScheduleProblem problem = pipeline(stages, microBatches, microBatches % 2);
        for (size_t s = 0; s < problem.stages.size(); ++s)
          problem.stages[s].ns[0] = 1 + s * 7 % 5;
        for (auto &each : problem.dependences)
          each.ns = each.source == each.destination ? 0 : 1;
        Schedule schedule;
        Simulation simulation;
        ASSERT_EQ(generate(problem, schedule), std::nullopt);
        ASSERT_EQ(problem.verify(schedule), std::nullopt);
        ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
        EXPECT_LE(problem.bound(), simulation.makespan);
      }
}

TEST(Schedule, ForwardAlone) {
  ScheduleProblem problem = pipeline(3, 4, false);
  Schedule schedule;
  Simulation simulation;
  ASSERT_EQ(schedule1F1B(problem, schedule), std::nullopt);
  ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
  EXPECT_EQ(simulation.makespan, 4 + 2);
}

// Two stages on a rank interleave as if each had its own.
TEST(Schedule, SharedRanks) {
  for (Generator generate : generators) {
    ScheduleProblem problem = pipeline(4, 3);
    for (int64_t s = 0; s < 4; ++s)
      problem.stages[s].rank = s % 2;
    Schedule schedule;
    ASSERT_EQ(generate(problem, schedule), std::nullopt);
    EXPECT_EQ(problem.verify(schedule), std::nullopt);
    EXPECT_EQ(schedule.ranks.size(), 2u);
  }
}

TEST(Schedule, VerifyRefusesWrongOrders) {
  ScheduleProblem problem = pipeline(1, 2);
  Schedule schedule;
  ASSERT_EQ(scheduleGPipe(problem, schedule), std::nullopt);
  auto with = [&](auto change) {
    Schedule other = schedule;
    change(other.ranks[0]);
    return *problem.verify(other);
  };
  EXPECT_EQ(with([](auto &jobs) { std::swap(jobs[0], jobs[1]); }),
            "stage 0, F of micro-batch 1 runs where micro-batch 0 is next");
  EXPECT_EQ(with([](auto &jobs) { jobs.pop_back(); }), "stage 0, W of micro-batch 1 is missing");
  EXPECT_EQ(with([](auto &jobs) { std::swap(jobs[0], jobs[2]), std::swap(jobs[1], jobs[2]); }),
            "the order never ends, these wait: stage 0, B of micro-batch 0");
  EXPECT_EQ(with([](auto &jobs) { jobs[0].stage = 7; }), "stage 7, F of micro-batch 0 does not exist");
}

TEST(Schedule, CheckRefusesCycles) {
  ScheduleProblem problem = pipeline(2, 1);
  problem.dependences.push_back({1, TaskKind::F, 0, TaskKind::F});
  EXPECT_EQ(problem.check()->rfind("tasks of one micro-batch wait for each other:", 0), 0u);
  problem = pipeline(1, 0);
  EXPECT_EQ(*problem.check(), "has 0 micro-batches but needs 1 or more");
}

TEST(Order, FindsCycles) {
  EXPECT_TRUE(findCycle(3, {{0, 1}, {1, 2}}).empty());
  EXPECT_EQ(findCycle(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}), (std::vector<int64_t>{2, 1}));
}

} // namespace

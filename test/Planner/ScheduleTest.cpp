//===- ScheduleTest.cpp - closed forms, few micro-batches, wrong orders ---===//
#include "plc/Planner/Order.h"
#include "plc/Planner/Schedules.h"

#include <algorithm>
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

const ScheduleFamily &gpipe = plc::rowOf(ScheduleKind::gPipe), &oneFOneB = plc::rowOf(ScheduleKind::oneFOneB);

// Whatever rows there are: `solve` verifies orders, and that they keep to what their rows say. Stages may lack B or W.
TEST(Schedules, KeepTheirPromises) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows())
    for (int64_t stages = 1; stages <= 5; ++stages)
      for (int64_t microBatches = 1; microBatches <= 6; ++microBatches)
        for (int lacking : {0, 1, 2}) {
          ScheduleProblem problem = pipeline(stages, microBatches);
          if (lacking && stages > 1) { // the first stage has no B or the last no W
            auto &stage = problem.stages[lacking == 1 ? 0 : stages - 1];
            stage.has[lacking] = false;
            stage.ns[lacking] = 0;
            std::erase_if(problem.dependences, [&](const auto &each) {
              return !problem.stages[each.source].has[int(each.from)] ||
                     !problem.stages[each.destination].has[int(each.to)];
            });
          }
          Schedule schedule;
          EXPECT_EQ(solve(family, problem, schedule), std::nullopt) << family.name;
          EXPECT_EQ(plc::parseChoice<ScheduleKind>(family.name), ScheduleKind(&family - &gpipe));
        }
}

// A row that says less than its order does is found out.
TEST(Schedules, WrongPromisesAreRefused) {
  Schedule schedule;
  ScheduleFamily row = oneFOneB;
  row.inFlight = [](int64_t, int64_t, int64_t) { return int64_t(2); };
  EXPECT_EQ(*solve(row, pipeline(3, 4), schedule),
            "schedule '1f1b' holds 3 micro-batches on stage 0 but counts with 2");
  row = gpipe;
  row.order = [](const ScheduleProblem &problem, Schedule &schedule) { // all B, then all W
    Fault fault = orderGPipe(problem, schedule);
    std::stable_sort(schedule.ranks[0].begin(), schedule.ranks[0].end(),
                     [](const auto &a, const auto &b) { return a.kind < b.kind; });
    return fault;
  };
  EXPECT_EQ(*solve(row, pipeline(1, 2), schedule),
            "schedule 'gpipe' runs stage 0, B of micro-batch 1 between B and W of micro-batch 0");
  row.splitsBackward = true;
  EXPECT_EQ(solve(row, pipeline(1, 2), schedule), std::nullopt);
  row = gpipe;
  row.sharesRanks = false;
  EXPECT_EQ(solve(row, pipeline(2, 2), schedule), std::nullopt);
  ScheduleProblem shared = pipeline(2, 2);
  shared.stages[1].rank = 0;
  EXPECT_EQ(*solve(row, shared, schedule), "schedule 'gpipe' needs a rank for each stage but 2 stages are on 1 ranks");
}

TEST(Schedules, NamesComeFromTheTable) {
  EXPECT_EQ(plc::parseChoice<ScheduleKind>("auto"), std::nullopt); // planned, but nothing carries it out
  EXPECT_EQ(plc::describeUnknown<ScheduleKind>("zigzag"),
            "schedule 'zigzag' is not supported; there are 'gpipe' and '1f1b'");
}

// With one backward of 2, F = 1 and no communication, both take 3M + 3(S-1).
TEST(Schedule, ClosedForms) {
  for (const ScheduleFamily *family : {&gpipe, &oneFOneB})
    for (int64_t stages = 1; stages <= 6; ++stages)
      for (int64_t microBatches = 1; microBatches <= 9; ++microBatches) {
        ScheduleProblem problem = pipeline(stages, microBatches);
        for (auto &stage : problem.stages) // one backward of 2
          stage = {stage.rank, {true, true, false}, {1, 2, 0}};
        std::erase_if(problem.dependences, [](const auto &each) { return each.to == TaskKind::W; });
        Schedule schedule;
        Simulation simulation;
        ASSERT_EQ(solve(*family, problem, schedule), std::nullopt);
        ASSERT_EQ(problem.verify(schedule), std::nullopt);
        ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
        EXPECT_EQ(simulation.makespan, 3 * microBatches + 3 * (stages - 1));
        EXPECT_EQ(problem.bound(), simulation.makespan);
      }
}

TEST(Schedule, BoundIsNeverAboveTheAnswer) {
  for (const ScheduleFamily *family : {&gpipe, &oneFOneB})
    for (int64_t stages = 1; stages <= 5; ++stages)
      for (int64_t microBatches = 1; microBatches <= 6; ++microBatches) {
        ScheduleProblem problem = pipeline(stages, microBatches, microBatches % 2);
        for (size_t s = 0; s < problem.stages.size(); ++s)
          problem.stages[s].ns[0] = 1 + s * 7 % 5;
        for (auto &each : problem.dependences)
          each.ns = each.source == each.destination ? 0 : 1;
        Schedule schedule;
        Simulation simulation;
        ASSERT_EQ(solve(*family, problem, schedule), std::nullopt);
        ASSERT_EQ(problem.verify(schedule), std::nullopt);
        ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
        EXPECT_LE(problem.bound(), simulation.makespan);
      }
}

TEST(Schedule, ForwardAlone) {
  ScheduleProblem problem = pipeline(3, 4, false);
  Schedule schedule;
  Simulation simulation;
  ASSERT_EQ(solve(oneFOneB, problem, schedule), std::nullopt);
  ASSERT_EQ(simulate(problem, schedule, simulation), std::nullopt);
  EXPECT_EQ(simulation.makespan, 4 + 2);
}

// Two stages on a rank interleave as if each had its own.
TEST(Schedule, SharedRanks) {
  for (const ScheduleFamily *family : {&gpipe, &oneFOneB}) {
    ScheduleProblem problem = pipeline(4, 3);
    for (int64_t s = 0; s < 4; ++s)
      problem.stages[s].rank = s % 2;
    Schedule schedule;
    ASSERT_EQ(solve(*family, problem, schedule), std::nullopt);
    EXPECT_EQ(problem.verify(schedule), std::nullopt);
    EXPECT_EQ(schedule.ranks.size(), 2u);
  }
}

TEST(Schedule, VerifyRefusesWrongOrders) {
  ScheduleProblem problem = pipeline(1, 2);
  Schedule schedule;
  ASSERT_EQ(solve(gpipe, problem, schedule), std::nullopt);
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

//===- ExplainTest.cpp - charts, waits and the cuts beside the best -------===//
#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Schedule/Gantt.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Planner/Schedule/StepTimes.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

// Two stages, two micro-batches, F and B; 1F1B runs F F B B on rank 0 and F B F B on rank 1.
ScheduleProblem twoStages(int64_t forward, int64_t backward, int64_t way) {
  ScheduleProblem problem;
  problem.microBatches = 2;
  for (int64_t stage : {0, 1})
    problem.stages.push_back({stage, {true, true, false}, {forward, backward, 0}});
  problem.dependences = {
      {0, TaskKind::F, 1, TaskKind::F, way}, {1, TaskKind::F, 1, TaskKind::B}, {1, TaskKind::B, 0, TaskKind::B, way}};
  return problem;
}

struct Played {
  explicit Played(ScheduleProblem problem, ScheduleKind kind = ScheduleKind::oneFOneB) : problem(std::move(problem)) {
    EXPECT_EQ(solve(plc::rowOf(kind), this->problem, schedule), std::nullopt);
    EXPECT_EQ(simulate(this->problem, schedule, simulation), std::nullopt);
  }
  std::string chart(int64_t columns) const { return drawGantt(problem, schedule, simulation, columns); }

  ScheduleProblem problem;
  Schedule schedule;
  Simulation simulation;
};

TEST(Gantt, DrawsJobsAndIdleTime) {
  EXPECT_EQ(Played(twoStages(1, 2, 0)).chart(26), "rank 0  F-F-....B---..B---\n"
                                                  "rank 1  ..F-B---F-B---....\n"
                                                  "        0             9 ns\n");
  EXPECT_EQ(Played(twoStages(1'000'000, 2'000'000, 0)).chart(26), "rank 0  F-F-....B---..B---\n"
                                                                  "rank 1  ..F-B---F-B---....\n"
                                                                  "        0        9000.0 us\n");
}

TEST(Gantt, SaysTheStageWhereARankHasSeveral) {
  ScheduleProblem problem;
  problem.stages.resize(2, {0, {true, true, false}, {2, 4, 0}});
  problem.dependences = {
      {0, TaskKind::F, 1, TaskKind::F}, {1, TaskKind::F, 1, TaskKind::B}, {1, TaskKind::B, 0, TaskKind::B}};
  Played run(problem);
  EXPECT_EQ(run.chart(20), "rank 0  F-F-B1--B0--\n" // no room behind F for a number and a line
                           "        0      12 ns\n");
  EXPECT_EQ(run.chart(32), "rank 0  F0--F1--B1------B0------\n"
                           "        0                  12 ns\n");
}

// Each column shows a job that has as much of it as any other, and dots only where idle time has more.
TEST(Gantt, ShowsWhatTakesMostOfAColumn) {
  ScheduleProblem problem;
  problem.microBatches = 20;
  problem.stages.push_back({0, {true, true, false}, {1, 1, 0}});
  EXPECT_EQ(Played(problem, ScheduleKind::gPipe).chart(1), "rank 0  FFFFFBBBBB\n" // no fewer than 10 columns
                                                           "        0    40 ns\n");
  problem.microBatches = 1;
  problem.stages.push_back({1, {true, false, false}, {1, 0, 0}});
  problem.stages[0].ns = {60, 40, 0};
  EXPECT_EQ(Played(problem, ScheduleKind::gPipe).chart(18), "rank 0  F-----B---\n"
                                                            "rank 1  ..........\n"
                                                            "        0   100 ns\n");
  problem.stages[0].ns = {0, 0, 0};
  problem.stages[1].ns = {0, 0, 0};
  EXPECT_EQ(Played(problem, ScheduleKind::gPipe).chart(18), "rank 0  ..........\n"
                                                            "rank 1  ..........\n"
                                                            "        0     0 ns\n");
}

TEST(StepTimes, TellWhatEachRankWaitsFor) {
  Played run(twoStages(1, 2, 0));
  auto times = timesOf(run.problem, run.schedule, run.simulation);
  EXPECT_EQ(times[0].busyNs, 6);
  EXPECT_EQ(times[0].waitsForRank, (std::map<int64_t, int64_t>{{1, 3}})); // 2 before B of 0, 1 before B of 1
  EXPECT_TRUE(times[0].waitsForWay.empty());
  EXPECT_EQ(times[0].doneNs, 0);
  EXPECT_EQ(times[1].waitsForRank, (std::map<int64_t, int64_t>{{0, 1}}));
  EXPECT_EQ(times[1].doneNs, 2);
}

// With ways of 5: rank 1 starts at 6, of which 5 are the way; its B of micro-batch 0 ends at 9 and arrives at 14, when
// rank 0 has been idle since 2; that of micro-batch 1 has been on its way since 12 when rank 0 is idle from 16 to 17.
TEST(StepTimes, TellWaysFromWork) {
  Played run(twoStages(1, 2, 5));
  auto times = timesOf(run.problem, run.schedule, run.simulation);
  EXPECT_EQ(times[1].waitsForRank, (std::map<int64_t, int64_t>{{0, 1}}));
  EXPECT_EQ(times[1].waitsForWay, (std::map<int64_t, int64_t>{{0, 5}}));
  EXPECT_EQ(times[0].waitsForRank, (std::map<int64_t, int64_t>{{1, 9 - 2}}));
  EXPECT_EQ(times[0].waitsForWay, (std::map<int64_t, int64_t>{{2, 5 + 1}}));
  EXPECT_EQ(savedWithoutTransfers(run.problem, run.schedule), run.simulation.makespan - 9);
}

// Of every rank of every schedule all time is told of, and what saves no time is nobody's bottleneck.
TEST(StepTimes, AddUpToTheStep) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    ScheduleProblem problem = twoStages(1 + random() % 50, 1 + random() % 50, random() % 60);
    problem.microBatches = 1 + random() % 6;
    problem.stages[1].ns = {int64_t(1 + random() % 50), int64_t(1 + random() % 50), 0};
    Played run(problem, random() % 2 ? ScheduleKind::gPipe : ScheduleKind::oneFOneB);
    for (const RankTimes &times : timesOf(run.problem, run.schedule, run.simulation)) {
      int64_t sum = times.busyNs + times.doneNs;
      for (const auto &waits : {times.waitsForRank, times.waitsForWay})
        for (auto [what, ns] : waits) {
          EXPECT_GT(ns, 0);
          sum += ns;
        }
      EXPECT_EQ(sum, run.simulation.makespan);
    }
  }
}

// F = 10, B = 20: rank 0 saves 6 of its 60, but the step half of that, because B of micro-batch 0 waits for rank 1.
TEST(StepTimes, TellWhoseWorkBinds) {
  Played run(twoStages(10, 20, 0));
  EXPECT_EQ(run.simulation.makespan, 90);
  EXPECT_EQ(savedByTenth(run.problem, run.schedule, 0), 3);
  EXPECT_EQ(savedByTenth(run.problem, run.schedule, 1), 6);
  EXPECT_EQ(savedBy(run.problem, run.schedule, run.problem.stages), 0);
}

TEST(Format, Figures) {
  EXPECT_EQ(formatNs(9'999), "9999 ns");
  EXPECT_EQ(formatNs(31'416), "31.4 us");
  EXPECT_EQ(formatNs(12'000'000), "12.0 ms");
  EXPECT_EQ(formatPart(1, 8), "12.5 %");
  EXPECT_EQ(formatPart(1, 0), "0.0 %");
}

} // namespace

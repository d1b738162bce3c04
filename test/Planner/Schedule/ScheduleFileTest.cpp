//===- ScheduleFileTest.cpp - schedules as tables, in and out -------------===//
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"

#include <gtest/gtest.h>

using namespace plc::planner;

namespace {

std::string errorOf(std::string_view text) {
  ScheduleFile file;
  auto error = file.read(text);
  return error ? std::to_string(error->line) + ":" + std::to_string(error->column) + ": " + error->text : "none";
}

TEST(ScheduleFile, Reads) {
  ScheduleFile file;
  ASSERT_FALSE(file.read("0F0,0F1,,0B0, 0B1\r\n1F0,1I0,1F1,\"1I1\",1W0,1W1\n\n"));
  EXPECT_EQ(file.rankMap(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(file.microBatches(), 2);
}

TEST(ScheduleFile, SkipsAByteOrderMark) {
  EXPECT_EQ(errorOf("\xef\xbb\xbf"
                    "0F0,0B0"),
            "none");
  EXPECT_EQ(errorOf("\xef\xbb\xbf"
                    "0F0,0X0")
                .substr(0, 5),
            "1:5: ");
}

TEST(ScheduleFile, Refuses) {
  EXPECT_EQ(errorOf(""), "1:1: has no task");
  EXPECT_EQ(errorOf("0F0\n\n1F0"), "2:1: rank 1 has no task");
  EXPECT_EQ(errorOf("0F0, 0X1"), "1:6: '0X1' is no task: write its stage, F, B, I or W, and its micro-batch, as '0F1'");
  EXPECT_EQ(errorOf("F0"), "1:1: 'F0' is no task: write its stage, F, B, I or W, and its micro-batch, as '0F1'");
  EXPECT_EQ(errorOf("0F0,0SEND_F0"), "1:5: '0SEND_F0' is no computation: leave messages out, they are planned");
  EXPECT_EQ(errorOf("0F0\n0F1"), "2:1: '0F1' is on rank 1 but stage 0 is on rank 0");
  EXPECT_EQ(errorOf("0F1"), "1:1: '0F1' stands where '0F0' is next");
  EXPECT_EQ(errorOf("0F0,0F0"), "1:5: '0F0' has run before");
  EXPECT_EQ(errorOf("0F0,0B0\n1F0,1B0,1W0"), "2:9: '1W0' has run before; B is I and W");
  EXPECT_EQ(errorOf("0F0,0I0,0W0,0B0"), "1:13: '0B0' has run before; B is I and W");
  EXPECT_EQ(errorOf("0F0,0F1,0I0,0B1"), "1:13: '0B1' stands before '0W0'");
  EXPECT_EQ(errorOf("0F0,0F1,0B0"), "1:9: '0B1' is missing: stage 0 has 2 micro-batches");
  EXPECT_EQ(errorOf("0F0,0I0"), "1:5: '0W0' is missing: stage 0 has 1 micro-batch");
  EXPECT_EQ(errorOf("0F0,0F1,0I0,0W0"), "1:13: '0I1' is missing: stage 0 has 2 micro-batches");
  EXPECT_EQ(errorOf("0F0,0F1,0I0,0I1,0W0\n1F0,1F1,1B0"), "1:17: '0W1' is missing: stage 0 has 2 micro-batches");
  EXPECT_EQ(errorOf("0F0,0B0\n1F0,1B0,1F1"), "2:9: '1F1' is one too many: stage 0 has 1 micro-batch");
  EXPECT_EQ(errorOf("0F0,0B0\n1F0,1B0,1B1,1B2"), "2:9: '1B1' is one too many: stage 0 has 1 micro-batch");
  EXPECT_EQ(errorOf("0F0,0B0\n1F0,1I0,1W0,1I1"), "2:13: '1I1' is one too many: stage 0 has 1 micro-batch");
  EXPECT_EQ(errorOf("0F0,0F1\n1F0"), "2:1: '1F1' is missing: stage 0 has 2 micro-batches");
  EXPECT_EQ(errorOf("1F0"), "1:1: stage 0 is on no rank");
  EXPECT_EQ(errorOf("4096F0"), "1:1: '4096F0' is beyond 1024 stages and 4096 micro-batches");
  EXPECT_EQ(errorOf("0F0,99999999999999999999F0"),
            "1:5: '99999999999999999999F0' is no task: write its stage, F, B, I or W, and its micro-batch, as '0F1'");
}

// Every schedule survives being written and read.
TEST(ScheduleFile, RoundTrips) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    if (family.follows == OrderSource::text)
      continue;
    ScheduleProblem problem;
    problem.microBatches = 5;
    std::vector<int64_t> rankMap = rankMapOf(family.placement, 4, family.chunks);
    for (int64_t s = 0; s < 4; ++s) {
      problem.stages.push_back({rankMap[s], {true, s != 1, s != 2}, {1, s != 1, s != 2}});
      if (s)
        problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F});
      for (auto [from, to] : {std::pair(TaskKind::F, TaskKind::B), std::pair(TaskKind::F, TaskKind::W),
                              std::pair(TaskKind::B, TaskKind::W)})
        if (problem.stages[s].has[int(from)] && problem.stages[s].has[int(to)])
          problem.dependences.push_back({s, from, s, to});
    }
    Schedule schedule, again;
    ASSERT_EQ(solve(family, problem, schedule), std::nullopt) << family.name;
    ScheduleFile file;
    std::string text = writeSchedule(problem, schedule);
    auto error = file.read(text);
    ASSERT_FALSE(error) << text << error->line << ":" << error->column << ": " << error->text;
    EXPECT_EQ(file.rankMap(), rankMap);
    ASSERT_EQ(file.order(problem, again), std::nullopt);
    EXPECT_EQ(schedule.ranks, again.ranks) << text;
  }
}

TEST(ScheduleFile, RefusesOtherPrograms) {
  ScheduleFile file;
  ASSERT_FALSE(file.read("0F0,0B0\n1F0,1B0"));
  ScheduleProblem problem;
  problem.stages.push_back({0, {true, true, true}});
  Schedule schedule;
  EXPECT_EQ(*file.order(problem, schedule), "has 2 stages but the program has 1");
  problem.stages.push_back({1, {true, true, true}});
  problem.microBatches = 3;
  EXPECT_EQ(*file.order(problem, schedule), "has 1 micro-batches but the program has 3");
}

} // namespace

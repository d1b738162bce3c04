//===- ScheduleTest.cpp - closed forms, few micro-batches, wrong orders ---===//
#include "InFlight.h"

#include "plc/Planner/Base/Order.h"
#include "plc/Planner/Schedule/SharedStages.h"

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

// The same, with stages where the schedule places them.
ScheduleProblem placed(const ScheduleFamily &family, int64_t stages, int64_t microBatches, int64_t chunks) {
  ScheduleProblem problem = pipeline(stages, microBatches);
  std::vector<int64_t> rankMap = rankMapOf(family.placement, stages, chunks);
  for (int64_t s = 0; s < stages; ++s)
    problem.stages[s].rank = rankMap[s];
  return problem;
}

int64_t makespanOf(const ScheduleFamily &family, const ScheduleProblem &problem) {
  Schedule schedule;
  Simulation simulation;
  EXPECT_EQ(solve(family, problem, schedule), std::nullopt);
  EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
  EXPECT_LE(problem.bound(), simulation.makespan);
  return simulation.makespan;
}

// Whatever rows there are: `solve` verifies orders, and that they keep to what their rows say. Stages may lack B or W.
TEST(Schedules, KeepTheirPromises) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows())
    for (int64_t most = family.follows == OrderSource::times ? 3 : 6, stages = 1;
         stages < most && family.follows != OrderSource::text; ++stages)
      for (int64_t microBatches = 1; microBatches <= most; ++microBatches)
        for (int lacking : {0, 1, 2}) {
          ScheduleProblem problem = placed(family, stages, microBatches, family.chunks);
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
          EXPECT_EQ(solve(family, problem, schedule), std::nullopt) << family.name << stages << microBatches;
          EXPECT_EQ(plc::parseChoice<ScheduleKind>(family.name), ScheduleKind(&family - &gpipe));
        }
}

// A row that says less than its order does is found out.
TEST(Schedules, WrongPromisesAreRefused) {
  Schedule schedule;
  ScheduleFamily row = gpipe;
  row.order = [](const ScheduleProblem &problem, Schedule &schedule) { // all B, then all W
    Status fault = orderGPipe(problem, schedule);
    std::stable_sort(schedule.ranks[0].begin(), schedule.ranks[0].end(),
                     [](const auto &a, const auto &b) { return a.kind < b.kind; });
    return fault;
  };
  EXPECT_EQ(*solve(row, pipeline(1, 2), schedule),
            "schedule 'gpipe' runs stage 0, B of micro-batch 1 between B and W of micro-batch 0");
  row.splitsBackward = true;
  EXPECT_EQ(solve(row, pipeline(1, 2), schedule), std::nullopt);
  ScheduleProblem loop = placed(plc::rowOf(ScheduleKind::interleaved), 4, 2, 2);
  EXPECT_EQ(*solve(plc::rowOf(ScheduleKind::zeroBubbleV), loop, schedule),
            "schedule 'zbv' needs stage 2 on rank 1 but it is on rank 0");
  EXPECT_EQ(*solve(plc::rowOf(ScheduleKind::file), pipeline(1, 1), schedule),
            "schedule 'file' needs the file that holds the order");
}

// Each stage of a pipeline is shared by two ranks: before, both, behind. Whatever the schedule, the ranks of a group do
// what the one did, and no more is in flight than the cuts count with.
TEST(Schedules, SharedStages) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows())
    for (int64_t stages = 1; stages < 4 && family.follows != OrderSource::text; ++stages)
      for (int64_t microBatches : {1, 4}) {
        ScheduleProblem wide = placed(family, stages * family.chunks, microBatches, family.chunks), problem;
        problem.microBatches = microBatches;
        problem.shards = 2;
        auto depend = [&](int64_t from, TaskKind source, int64_t to, TaskKind destination) {
          problem.dependences.push_back({from, source, to, destination, 1});
        };
        for (int64_t s = 0; s < int64_t(wide.stages.size()); ++s) {
          int64_t first = problem.stages.size(), rank = wide.stages[s].rank * 2;
          for (int64_t at : {0, 0, 1, 1}) {
            problem.stages.push_back({rank + at, {true, true, true}, {1, 1, 1}});
            problem.pipeline.push_back(s);
          }
          for (auto [from, to] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}}) {
            depend(first + from, TaskKind::F, first + to, TaskKind::F);
            depend(first + to, TaskKind::B, first + from, TaskKind::B);
          }
          for (int64_t each = first; each < first + 4; ++each) {
            depend(each, TaskKind::F, each, TaskKind::B);
            depend(each, TaskKind::B, each, TaskKind::W);
          }
          if (s) {
            depend(first - 1, TaskKind::F, first, TaskKind::F);
            depend(first, TaskKind::B, first - 1, TaskKind::B);
          }
        }
        Schedule schedule;
        EXPECT_EQ(solve(family, problem, schedule), std::nullopt) << family.name << stages << microBatches;
        if (family.follows != OrderSource::shape)
          continue;
        // The order tells that of the pipeline, of which it is made.
        std::optional<Schedule> whole = pipelineOrderOf(problem, schedule);
        ASSERT_NE(whole, std::nullopt) << family.name << stages << microBatches;
        Schedule alone;
        EXPECT_EQ(solve(family, pipelineOf(problem), alone), std::nullopt);
        EXPECT_EQ(whole->ranks, alone.ranks) << family.name << stages << microBatches;
        // One rank of a group in an order of its own is of no pipeline.
        if (microBatches > 1) {
          std::rotate(schedule.ranks[1].begin(), schedule.ranks[1].begin() + 2, schedule.ranks[1].end());
          EXPECT_EQ(pipelineOrderOf(problem, schedule), std::nullopt) << family.name << stages;
        }
      }
  using List = std::vector<int64_t>;
  EXPECT_EQ(groupsOf({0, 0, 1, 2, 3, 2, 0, 1}, 2, {0, 0, 0, 1, 1, 1, 2, 2}), (List{0, 1, 0}));
}

// A stage in two buckets on its rank takes as long as the whole, and holds no more; nobody waits longer for its last B.
TEST(Schedules, Buckets) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    if (family.chunks > 1 || family.follows != OrderSource::shape)
      continue;
    for (int64_t stages = 1; stages < 4; ++stages) {
      ScheduleProblem whole = pipeline(stages, 5), problem = pipeline(2 * stages, 5);
      for (int64_t s = 0; s < 2 * stages; ++s)
        problem.stages[s].rank = s / 2;
      for (auto &stage : whole.stages)
        stage.ns = {2, 2, 2};
      for (int64_t s = 0; s < 2 * stages; ++s)
        problem.pipeline.push_back(s / 2);
      Schedule divided, schedule;
      ASSERT_EQ(solve(family, problem, divided), std::nullopt) << family.name;
      ASSERT_EQ(solve(family, whole, schedule), std::nullopt) << family.name;
      Simulation inBuckets, asOne;
      ASSERT_EQ(simulate(problem, divided, inBuckets), std::nullopt);
      ASSERT_EQ(simulate(whole, schedule, asOne), std::nullopt);
      EXPECT_EQ(inBuckets.makespan, asOne.makespan) << family.name << stages;
      for (int64_t s = 0; s < 2 * stages; ++s)
        EXPECT_EQ(inFlightOf(problem, divided)[s], inFlightOf(whole, schedule)[s / 2]) << family.name << stages;
      // The gradients of the later one are whole before the other one ends.
      EXPECT_EQ(divided.ranks[0].back(), (ScheduledTask{0, TaskKind::W, 4}));
      EXPECT_EQ(*(divided.ranks[0].end() - 2), (ScheduledTask{1, TaskKind::W, 4}));
    }
  }
}

TEST(Schedules, Places) {
  EXPECT_EQ(rankMapOf(Placement::loop, 6, 2), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(rankMapOf(Placement::vShape, 6, 2), (std::vector<int64_t>{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(rankMapOf(Placement::any, 3, 1), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(rankMapOf(Placement::vShape, 3, 2), (std::vector<int64_t>{0, 1, 1}));
}

// Per stage, at most, where all tasks take as long.
TEST(Schedules, InFlight) {
  auto of = [](ScheduleKind kind, int64_t stages, int64_t microBatches) {
    const ScheduleFamily &family = plc::rowOf(kind);
    ScheduleProblem problem = placed(family, stages, microBatches, family.chunks);
    Schedule schedule;
    EXPECT_EQ(solve(family, problem, schedule), std::nullopt);
    return inFlightOf(problem, schedule);
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(of(ScheduleKind::gPipe, 3, 5), (List{5, 5, 5}));
  EXPECT_EQ(of(ScheduleKind::oneFOneB, 3, 5), (List{3, 2, 1}));
  EXPECT_EQ(of(ScheduleKind::oneFOneB, 3, 2), (List{2, 2, 1}));
  EXPECT_EQ(of(ScheduleKind::interleaved, 4, 4), (List{4, 3, 2, 1}));
  EXPECT_EQ(of(ScheduleKind::zeroBubbleH1, 3, 5), (List{3, 3, 3}));
  EXPECT_EQ(of(ScheduleKind::zeroBubbleH2, 3, 8), (List{5, 5, 5}));
  EXPECT_EQ(of(ScheduleKind::zeroBubbleV, 4, 8), (List{4, 3, 2, 1}));
}

// One backward of 2, F = 1: 3M + 3(p-1)/V for each of V chunks; counted in the time of a chunk here.
TEST(Schedule, InterleavedClosedForm) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks)
    for (int64_t chunks = 2; chunks <= 3; ++chunks)
      for (int64_t groups = 1; groups <= 3; ++groups) {
        ScheduleProblem problem = placed(plc::rowOf(ScheduleKind::interleaved), ranks * chunks, ranks * groups, chunks);
        for (auto &stage : problem.stages) {
          stage.has = {true, true, false};
          stage.ns = {1, 2, 0};
        }
        std::erase_if(problem.dependences, [](const auto &each) { return each.to == TaskKind::W; });
        EXPECT_EQ(makespanOf(plc::rowOf(ScheduleKind::interleaved), problem),
                  3 * ranks * groups * chunks + 3 * (ranks - 1));
      }
}

// F = B = W = 1: 3M + (S-1) from S micro-batches on, which is the bound.
TEST(Schedule, ZeroBubbleClosedForms) {
  for (int64_t stages = 1; stages <= 6; ++stages)
    for (int64_t microBatches = stages; microBatches <= 12; ++microBatches) {
      ScheduleProblem problem = pipeline(stages, microBatches);
      EXPECT_EQ(problem.bound(), 3 * microBatches + stages - 1);
      EXPECT_EQ(makespanOf(plc::rowOf(ScheduleKind::zeroBubbleH1), problem), problem.bound());
      if (microBatches >= 2 * stages - 1) {
        EXPECT_EQ(makespanOf(plc::rowOf(ScheduleKind::zeroBubbleH2), problem), problem.bound());
      }
    }
  for (int64_t ranks = 1; ranks <= 6; ++ranks)
    for (int64_t microBatches = 2 * ranks; microBatches <= 14; ++microBatches)
      EXPECT_EQ(makespanOf(plc::rowOf(ScheduleKind::zeroBubbleV),
                           placed(plc::rowOf(ScheduleKind::zeroBubbleV), 2 * ranks, microBatches, 2)),
                6 * microBatches + ranks - 1);
}

// The drawing in ZeroBubble.cpp.
TEST(Schedule, ZeroBubbleOrder) {
  Schedule schedule;
  ScheduleProblem problem = pipeline(3, 4);
  ASSERT_EQ(solve(plc::rowOf(ScheduleKind::zeroBubbleH1), problem, schedule), std::nullopt);
  std::string text;
  for (const ScheduledTask &job : schedule.ranks[2])
    text += std::string(1, "fbw"[int(job.kind)]) + std::to_string(job.microBatch) + " ";
  EXPECT_EQ(text, "f0 b0 f1 b1 f2 b2 w0 f3 b3 w1 w2 w3 ");
}

TEST(Schedules, NamesComeFromTheTable) {
  EXPECT_EQ(plc::parseChoice<ScheduleKind>("auto"), ScheduleKind::automatic);
  EXPECT_EQ(plc::describeUnknown<ScheduleKind>("zigzag"),
            "schedule 'zigzag' is not supported; there are 'gpipe', '1f1b', 'interleaved', 'zb_h1', 'zb_h2', 'zbv', "
            "'auto' and 'file'");
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

TEST(Schedule, CheckRefusesWrongSamples) {
  auto with = [](auto change) {
    ScheduleProblem problem = pipeline(2, 2);
    change(problem);
    return *problem.check();
  };
  EXPECT_EQ(with([](auto &problem) { problem.samples = {1}; }), "has samples of 1 micro-batches of 2");
  EXPECT_EQ(with([](auto &problem) { problem.samples = {1, 0}; }), "has a micro-batch of 0 samples");
}

// Times of a micro-batch are in proportion to its samples.
TEST(Schedule, UnequalMicroBatches) {
  ScheduleProblem problem = pipeline(1, 2);
  problem.stages[0].ns = {10, 10, 10};
  problem.samples = {2, 1};
  EXPECT_EQ(makespanOf(gpipe, problem), 45);
}

TEST(Order, FindsCycles) {
  EXPECT_TRUE(findCycle(3, {{0, 1}, {1, 2}}).empty());
  EXPECT_EQ(findCycle(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}), (std::vector<int64_t>{2, 1}));
}

} // namespace

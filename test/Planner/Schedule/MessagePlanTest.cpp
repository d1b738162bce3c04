//===- MessagePlanTest.cpp - posts, waits and slots, timed ----------------===//
#include "InFlight.h"
#include "plc/Planner/Schedule/MessagePlan.h"

#include "plc/Planner/Schedule/Schedules.h"

#include <gtest/gtest.h>

using namespace plc::planner;

namespace {

struct Pipeline {
  ScheduleProblem problem;
  Schedule schedule;
  std::vector<MessageRoute> routes;
  int64_t makespan = 0; // if messages cost nothing but their way

  // Every task takes 10, every message `way`; of three stages or more, the first sends to the last one too.
  Pipeline(ScheduleKind kind, int64_t stages, int64_t microBatches, int64_t way) {
    const ScheduleFamily &family = plc::rowOf(kind);
    std::vector<int64_t> rankMap = rankMapOf(family.placement, stages, family.chunks);
    problem.microBatches = microBatches;
    for (int64_t s = 0; s < stages; ++s) {
      problem.stages.push_back({rankMap[s], {true, true, true}, {10, 10, 10}});
      problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
      problem.dependences.push_back({s, TaskKind::B, s, TaskKind::W});
      if (s) {
        join(s - 1, TaskKind::F, s, TaskKind::F, way);
        join(s, TaskKind::B, s - 1, TaskKind::B, way);
      }
    }
    if (stages > 2)
      join(0, TaskKind::F, stages - 1, TaskKind::F, way);
    EXPECT_EQ(solve(family, problem, schedule), std::nullopt);
    Simulation simulation;
    EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
    makespan = simulation.makespan;
  }

  void join(int64_t source, TaskKind from, int64_t destination, TaskKind to, int64_t way) {
    bool apart =
        problem.stages.size() <= size_t(destination) || problem.stages[source].rank != problem.stages[destination].rank;
    problem.dependences.push_back({source, from, destination, to, apart ? way : 0});
    if (apart)
      routes.push_back({source, from, destination, to, way});
  }
};

// Whatever the schedule and the way: no wait makes a cycle, and with slots enough nothing is lost.
TEST(MessagePlan, LosesNothingWithSlotsEnough) {
  for (ScheduleKind kind : {ScheduleKind::gPipe, ScheduleKind::oneFOneB, ScheduleKind::zeroBubbleH1,
                            ScheduleKind::zeroBubbleV, ScheduleKind::interleaved})
    for (int64_t way : {0, 3, 10, 25}) {
      Pipeline pipeline(kind, 4, 6, way);
      MessagePlan plan = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, 8);
      EXPECT_EQ(plan.makespan, pipeline.makespan) << plc::nameOfChoice(kind) << " " << way;
      for (const MessagePlan::Channel &channel : plan.channels)
        EXPECT_EQ(channel.lostNs, 0);
    }
}

// One slot fewer than planned costs time, and the plan says which channel costs it.
TEST(MessagePlan, HasNoSlotToSpare) {
  Pipeline pipeline(ScheduleKind::gPipe, 2, 6, 25);
  MessagePlan plan = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, 8);
  int64_t slots = plan.channels.front().slots;
  ASSERT_GT(slots, 1);
  MessagePlan fewer = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, slots - 1);
  EXPECT_GT(fewer.makespan, plan.makespan);
  EXPECT_GT(fewer.channels.front().lostNs, 0);
}

// Under every schedule that orders by itself: few slots between neighbours, on a longer route no more than its source
// has micro-batches in flight, and one fewer costs time wherever there are several.
TEST(MessagePlan, NeedsTheSlotsThatItHas) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    if (family.follows == OrderSource::text)
      continue;
    int64_t several = 0;
    for (int64_t way : {0, 10, 25, 40}) {
      Pipeline pipeline(plc::parseChoice<ScheduleKind>(family.name).value(), 4, 8, way);
      MessagePlan plan = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, 64);
      EXPECT_EQ(plan.makespan, pipeline.makespan) << family.name << " " << way;
      std::vector<int64_t> inFlight = inFlightOf(pipeline.problem, pipeline.schedule);
      int64_t most = 1;
      for (size_t route = 0; route < pipeline.routes.size(); ++route) {
        const MessageRoute &each = pipeline.routes[route];
        bool neighbours = std::abs(each.source - each.destination) == 1;
        EXPECT_LE(plan.channels[route].slots, neighbours ? 8 : inFlight[each.source]) << family.name << " " << way;
        most = std::max(most, plan.channels[route].slots);
      }
      if (most == 1)
        continue;
      ++several;
      MessagePlan fewer = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, most - 1);
      EXPECT_GT(fewer.makespan, plan.makespan) << family.name << " " << way;
    }
    // With one slot there are none fewer: what is never offered is never sent.
    if (family.order == orderAuto || family.order == orderGPipe) {
      EXPECT_GT(several, 0) << family.name;
    }
  }
}

// Messages of no time: each receive is posted a run ahead, and one slot does.
TEST(MessagePlan, PostsARunAhead) {
  Pipeline pipeline(ScheduleKind::oneFOneB, 2, 4, 0);
  MessagePlan plan = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, 8);
  for (const MessagePlan::Channel &channel : plan.channels) {
    EXPECT_EQ(channel.slots, 1);
    for (const MessagePositions &at : channel.messages)
      EXPECT_TRUE(at.late || at.post == std::max<int64_t>(at.consumer - 1, 0));
  }
}

// A sender goes on computing while its message travels.
TEST(MessagePlan, WaitsForWhatHasArrived) {
  Pipeline pipeline(ScheduleKind::gPipe, 2, 3, 15);
  MessagePlan plan = planMessages(pipeline.problem, pipeline.schedule, pipeline.routes, 8);
  // F of micro-batch 0 ends at 10, its message arrives at 25, and run 3 is the first that starts behind that.
  EXPECT_EQ(plan.channels.front().messages.front().waitSend, 3);
}

} // namespace

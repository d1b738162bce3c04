//===- SimulateTest.cpp - times, links, shared cores, refusals --------------===//
#include "Pipelines.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace plc::simulator;
using Op = Play::Op;

namespace {

Cluster coresOfOne(int64_t ranks, int64_t cores, Link link = {}) {
  Cluster cluster;
  cluster.machines.push_back({"m", ranks, cores});
  cluster.inside = link;
  return cluster;
}

Play ranksOf(std::vector<std::vector<Play::Action>> actions) {
  Play play;
  for (auto &list : actions)
    play.ranks.push_back({"s" + std::to_string(play.ranks.size()), 100, {"task"}, list});
  return play;
}

Play::Action run(int64_t ns, float divided = 0) { return {Op::Run, 0, 0, divided, ns}; }

Simulation play(const Play &what, const Cluster &cluster, bool keepsSpans = false) {
  Simulation simulation;
  std::optional<std::string> wrong = simulate(what, cluster, simulation, keepsSpans);
  EXPECT_FALSE(wrong) << *wrong;
  return simulation;
}

std::string refusal(const Play &what, const Cluster &cluster) {
  Simulation simulation;
  return simulate(what, cluster, simulation).value_or("");
}

// Rank 0 makes a value in 100 ns, rank 1 uses it for 50.
Play handOver() {
  Play play = ranksOf(
      {{run(100), {Op::Send, 0, 0}, {Op::WaitSend, 0, 0}}, {{Op::PostRecv, 0, 0}, {Op::WaitRecv, 0, 0}, run(50)}});
  play.channels.push_back({"v", 0, 1, 1000, 1000});
  return play;
}

TEST(Simulate, MessagesTakeBytesOverBandwidthAndLatency) {
  Simulation simulation = play(handOver(), coresOfOne(2, 0, {7, 0.5}), true);
  EXPECT_EQ(simulation.stepNs, 100 + 500 + 7 + 50);
  EXPECT_EQ(simulation.ranks[0].busyNs, 100);
  EXPECT_EQ(simulation.ranks[1].busyNs, 50);
  EXPECT_NEAR(simulation.bubble, 1 - 150.0 / (2 * 657), 1e-9);
  ASSERT_EQ(simulation.traffic.size(), 1u);
  EXPECT_EQ(simulation.traffic[0].bytes, 1000);
  EXPECT_EQ(simulation.traffic[0].messages, 1);
  EXPECT_EQ(simulation.traffic[0].busyNs, 500);
  ASSERT_EQ(simulation.spans.size(), 4u); // two runs, and each side's wait
}

TEST(Simulate, MessagesLeaveWhenTheirReceiveIsPosted) {
  Play late = handOver();
  late.ranks[1].actions.insert(late.ranks[1].actions.begin(), run(400));
  EXPECT_EQ(play(late, coresOfOne(2, 0, {7, 0.5})).stepNs, 400 + 500 + 7 + 50);
}

// Rank 1 waits for what rank 0 makes late, before it does what it could have done meanwhile.
TEST(Simulate, WhoTakesWhatIsReadyDoesNotWaitForOthers) {
  Play late = handOver();
  late.ranks[1].actions.push_back({Op::Run, 0, 1, 0, 80});
  EXPECT_EQ(play(late, coresOfOne(2, 0, {7, 0.5})).stepNs, 100 + 507 + 50 + 80);
  late.ranks[1].after = {{}, {0}, {1}, {}};
  EXPECT_EQ(play(late, coresOfOne(2, 0, {7, 0.5})).stepNs, 100 + 507 + 50);
  // Of what is ready the oldest micro-batch comes first, wherever it is listed.
  late.ranks[1].actions = {
      {Op::PostRecv, 0, 0}, {Op::Run, 0, 2, 0, 700}, {Op::Run, 0, 1, 0, 650}, {Op::WaitRecv, 0, 0}, run(50)};
  auto orderOf = [&](std::vector<std::vector<int32_t>> after) {
    late.ranks[1].after = std::move(after);
    std::vector<size_t> order;
    for (const Simulation::Span &span : play(late, coresOfOne(2, 0, {7, 0.5}), true).spans)
      if (span.rank == 1)
        order.push_back(span.action);
    return order;
  };
  EXPECT_EQ(orderOf({{}, {}, {}, {0}, {3}}), (std::vector<size_t>{2, 4, 1}));
  EXPECT_EQ(orderOf({{}, {}, {1}, {0}, {3}}), (std::vector<size_t>{1, 4, 2}));
  EXPECT_EQ(orderOf({{}, {}, {1}, {0}, {2, 3}}), (std::vector<size_t>{1, 2, 4}));
}

TEST(Simulate, ALinkCarriesOneMessageAfterAnother) {
  Play two = handOver();
  two.channels.push_back({"w", 0, 1, 1000, 1000});
  two.ranks[0].actions.push_back({Op::Send, 1, 0});
  two.ranks[0].actions.erase(two.ranks[0].actions.begin() + 2); // the wait between
  two.ranks[1].actions.insert(two.ranks[1].actions.begin(), {Op::PostRecv, 1, 0});
  two.ranks[1].actions.push_back({Op::WaitRecv, 1, 0});
  EXPECT_EQ(play(two, coresOfOne(2, 0, {7, 0.5})).stepNs, 100 + 2 * 500 + 7);
  // Between machines the link is the machines', so other ranks' messages go through it, too.
  Play four = ranksOf({{run(100), {Op::Send, 0, 0}},
                       {run(100), {Op::Send, 1, 0}},
                       {{Op::PostRecv, 0, 0}, {Op::WaitRecv, 0, 0}},
                       {{Op::PostRecv, 1, 0}, {Op::WaitRecv, 1, 0}}});
  four.channels = {{"v", 0, 2, 1000, 1000}, {"w", 1, 3, 1000, 1000}};
  Cluster cluster;
  cluster.machines = {{"a", 2}, {"b", 2}};
  cluster.between = {7, 0.5};
  EXPECT_EQ(play(four, cluster).stepNs, 100 + 2 * 500 + 7);
  cluster.pairs.push_back({1, 0, {0, 0.1}});
  EXPECT_EQ(play(four, cluster).stepNs, 100 + 2 * 100);
}

TEST(Simulate, ThreadsCopyMessagesAndWakeWhoSleeps) {
  Cluster cluster = coresOfOne(2, 0, {0, 0.5});
  cluster.threads = {10, 50};
  // Rank 0 copies for 500 ns and wakes in 10; after 10 more rank 1 runs.
  Simulation simulation = play(handOver(), cluster);
  EXPECT_EQ(simulation.ranks[0].endNs, 100 + 500 + 10);
  EXPECT_EQ(simulation.stepNs, 100 + 500 + 20 + 50);
  EXPECT_EQ(simulation.ranks[0].busyNs, 100);
  // Whoever comes last copies and wakes: rank 0 has waited since 100.
  Play late = handOver();
  late.ranks[1].actions.insert(late.ranks[1].actions.begin(), run(400));
  simulation = play(late, cluster);
  EXPECT_EQ(simulation.ranks[0].endNs, 400 + 500 + 20);
  EXPECT_EQ(simulation.stepNs, 400 + 500 + 10 + 50);
  // Who still spins is not woken.
  cluster.threads->spinNs = 600;
  simulation = play(handOver(), cluster);
  EXPECT_EQ(simulation.ranks[0].endNs, 600);
  EXPECT_EQ(simulation.stepNs, 650);
}

TEST(Simulate, RanksShareCoresEvenly) {
  Play three = ranksOf({{run(100)}, {run(100)}, {run(40)}});
  EXPECT_EQ(play(three, coresOfOne(3, 0)).stepNs, 100);
  // One core: 40 of each until 120, then 60 of two.
  Simulation one = play(three, coresOfOne(3, 1));
  EXPECT_EQ(one.ranks[2].endNs, 120);
  EXPECT_EQ(one.stepNs, 240);
  // Two cores: 2/3 of a core each until 60, then one each.
  EXPECT_EQ(play(three, coresOfOne(3, 2)).stepNs, 120);
  Cluster fast = coresOfOne(3, 1);
  fast.machines[0].speed = 2;
  EXPECT_EQ(play(three, fast).stepNs, 120);
}

TEST(Simulate, IdleWorkersHelp) {
  Play two = ranksOf({{run(100, 0.5f)}, {run(20)}});
  Cluster cluster = coresOfOne(2, 2);
  EXPECT_EQ(play(two, cluster).stepNs, 100);
  cluster.sharesKernels = true;
  // 20 ns alone; then half of the 80 left is divided by two.
  EXPECT_EQ(play(two, cluster).stepNs, 20 + 80 * 3 / 4);
  // Its chunks are so few that it takes at least 90 % however many help; and each of two kernels wakes them.
  two.ranks[0].actions[0].leastPart = 0.9f;
  EXPECT_EQ(play(two, cluster).stepNs, 20 + 80 * 9 / 10);
  two.ranks[0].actions[0].leastPart = 0;
  two.ranks[0].actions[0].kernels = 2;
  cluster.helperWakeNs = 5;
  EXPECT_EQ(play(two, cluster).stepNs, 20 + std::lround(80 * 0.85));
  cluster.helperWakeNs = 500; // not worth it
  EXPECT_EQ(play(two, cluster).stepNs, 100);
}

TEST(Simulate, ThreadsShareWholeChunks) {
  SharedWork work = shared(1000, 5, {2, 10}); // three rounds, and a wake
  EXPECT_EQ(work.ns, 200 * 3 + 10);
  EXPECT_EQ(work.dividedNs, 200 * 3);
  EXPECT_EQ(work.leastNs, 200 + 10);
  EXPECT_EQ(work.kernels, 1);
  SharedWork whole = shared(1000, 1, {2, 10}); // nobody can help
  EXPECT_EQ(whole.ns, 1000);
  EXPECT_EQ(whole.dividedNs, 0);
  EXPECT_EQ(whole.leastNs, 1000);
  EXPECT_EQ(whole.kernels, 0);
}

TEST(Simulate, CoresAreSlowerTogether) {
  plc::PerRate rates;
  EXPECT_EQ(speedOfEach(16, rates), 1);
  rates[plc::Rate::busy] = 1.25;
  EXPECT_EQ(speedOfEach(1, rates), 1);
  EXPECT_EQ(speedOfEach(2, rates), 1 / 1.25);
  EXPECT_DOUBLE_EQ(speedOfEach(16, rates), 1 / std::pow(1.25, 4));
  EXPECT_EQ(oneProcess(4, 2, rates).machines[0].speed, 1 / 1.25); // two cores
  EXPECT_EQ(oneProcess(1, 0, rates, 2).machines[0].speed, 1 / 1.25);
}

TEST(Simulate, StepsMeetWhereGradientsAreClipped) {
  Play two = ranksOf({{run(100), {Op::Step, -1, -1, 1, 10}}, {run(30), {Op::Step, -1, -1, 1, 50}}});
  EXPECT_EQ(play(two, coresOfOne(2, 0)).stepNs, 110);
  two.stepsMeet = true;
  EXPECT_EQ(play(two, coresOfOne(2, 0)).stepNs, 150);
}

// A rank prepares for 70 ns, on a core of speed 2 for 35, and then takes 10 ns for each of two micro-batches.
TEST(Simulate, WhatIsPreparedTakesNoTimeOfAStep) {
  plc::module::EntryPlan entry;
  entry.batch = entry.microBatches = 2;
  plc::module::RankInfo &rank = entry.ranks.emplace_back();
  rank.stage = "s0";
  rank.tasks = {{"s0.P", 0, {}, {{0, {}, "a"}}}, {"s0.F", 0, {}, {{1, {}, "a"}}}};
  rank.actions = {{Op::Run, 0, -1, 0, 0, {}}, {Op::Run, 1, 0, 0, 0, {}}, {Op::Run, 1, 1, 0, 0, {}}};
  Times times;
  times.callNs = [](const plc::module::CallInfo &call, int64_t) { return call.kernel == 0 ? 70 : 10; };
  times.chunks = [](const plc::module::CallInfo &, int64_t) { return 1; };
  Cluster cluster = coresOfOne(1, 1);
  Play what = playOf(entry, times);
  EXPECT_EQ(what.ranks[0].actions.size(), 2u);
  EXPECT_EQ(play(what, cluster).stepNs, 20);
  EXPECT_EQ(play(what, cluster).precomputeNs, 70);
  cluster.machines[0].speed = 2;
  EXPECT_EQ(play(what, cluster).precomputeNs, 35);
}

TEST(Simulate, ShortMicroBatchesSendFewerBytes) {
  Play play = handOver();
  play.channels[0].shortBytes = 400;
  play.microBatches = 2;
  play.firstShort = 1;
  for (auto &rank : play.ranks)
    for (auto &action : rank.actions)
      action.microBatch = 1;
  EXPECT_EQ(::play(play, coresOfOne(2, 0, {0, 1})).stepNs, 100 + 400 + 50);
}

TEST(Simulate, PipelinesTakeWhatTheClosedFormSays) {
  for (auto kind : {plc::planner::ScheduleKind::gPipe, plc::planner::ScheduleKind::oneFOneB})
    for (int64_t stages : {1, 2, 3, 5})
      for (int64_t microBatches : {1, 2, 4, 7}) {
        auto problem = pipeline(stages, microBatches, 100, 200);
        plc::planner::Schedule schedule;
        ASSERT_FALSE(solve(plc::rowOf(kind), problem, schedule));
        Simulation simulation = play(playOf(problem, schedule, 1000), coresOfOne(stages, 0));
        EXPECT_EQ(simulation.stepNs, 300 * (microBatches + stages - 1)) << stages << " x " << microBatches;
      }
}

// 1 ns cannot be told any more when so many have passed; who computes it ends all the same.
TEST(Simulate, LongRunsEnd) {
  EXPECT_EQ(play(handOver(), coresOfOne(2, 0, {1e18, 0})).stepNs, int64_t(1e18) + 128);
  Play play = ranksOf({{run(1)}});
  play.ranks[0].precomputeNs = 1000;
  Cluster slow = coresOfOne(1, 0);
  slow.machines[0].speed = 1e-300;
  EXPECT_EQ(refusal(play, slow), "the step takes more than 2^62 ns");
  play.ranks[0].actions.clear();
  EXPECT_EQ(refusal(play, slow), "what rank 0 prepares takes more than 2^62 ns");
  EXPECT_EQ(refusal(handOver(), coresOfOne(2, 0, {1e300, 0})), "the step takes more than 2^62 ns");
  EXPECT_EQ(refusal(handOver(), coresOfOne(2, 0, {0, 1e300})), "the step takes more than 2^62 ns");
}

TEST(Simulate, RefusesByName) {
  EXPECT_EQ(refusal(handOver(), coresOfOne(1, 0)), "the cluster has 1 ranks but the module needs 2");
  Cluster small = coresOfOne(2, 0);
  small.machines[0].memoryBytes = 199;
  EXPECT_EQ(refusal(handOver(), small),
            "machine 'm' has 199 bytes of memory but its ranks need 200: rank 0 (s0) 100, rank 1 (s1) 100");
  small.machines[0].memoryBytes = 200;
  EXPECT_EQ(refusal(handOver(), small), "");
  Play silent = handOver();
  silent.ranks[0].actions.erase(silent.ranks[0].actions.begin() + 1);
  EXPECT_EQ(refusal(silent, coresOfOne(2, 0)),
            "the run never ends, these wait: rank 0 for 'v' of micro-batch 0; rank 1 for 'v' of micro-batch 0");
  Play alone = ranksOf({{{Op::Step, -1, -1, 0, 5}, run(1)}, {{Op::WaitRecv, 0, 0}, {Op::Step, -1, -1, 0, 5}}});
  alone.channels.push_back({"v", 0, 1, 1, 1});
  alone.stepsMeet = true;
  EXPECT_EQ(refusal(alone, coresOfOne(2, 0)),
            "the run never ends, these wait: rank 0 for the other ranks' steps; rank 1 for 'v' of micro-batch 0");
}

} // namespace

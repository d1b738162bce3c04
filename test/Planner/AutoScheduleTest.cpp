//===- AutoScheduleTest.cpp - auto and the bound against all orders -------===//
#include "ScheduleOracle.h"
#include "lib/Planner/OrderTimes.h"
#include "lib/Planner/Search.h"

#include "plc/Planner/KnownOrders.h"

#include <gtest/gtest.h>

#include <set>

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
// two stages on a rank. `bench/schedules.py` runs many more.
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

// Neighbours of an order are timed as if they were simulated, whatever was tried, undone or kept before; what never ends and what takes
// too long is told, and paths through two neighbours that lie on a longest path are no longer than the order.
TEST(AutoSchedule, TimesNeighboursAsSimulation) {
  int64_t endless = 0, slow = 0, kept = 0;
  for (int64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    ScheduleProblem problem = seed % 3 == 2 ? randomProblem(random, 2, 3, 2) : unequal(2 + seed % 3, 5, 1000);
    problem.capBytes.clear();
    for (auto &stage : problem.stages)
      stage.inFlight = 0;
    Jobs jobs(problem);
    Schedule schedule;
    ASSERT_EQ(solve(plc::rowOf(ScheduleKind::gPipe), problem, schedule), std::nullopt);
    JobOrders orders = ordersOf(jobs, schedule);
    auto makespanOf = [&] { // -1 if the order never ends
      Simulation simulation;
      return simulate(problem, scheduleOf(jobs, orders), simulation) ? -1 : simulation.makespan;
    };
    OrderTimes times(jobs);
    int64_t now = times.begin(orders);
    ASSERT_EQ(now, makespanOf());
    for (int64_t round = 0; round < 300; ++round) {
      std::vector<int64_t> &order = orders[random() % orders.size()], before = order;
      int64_t first = random() % (order.size() - 1);
      int64_t last = std::min<int64_t>(first + 1 + random() % 5, int64_t(order.size()) - 1);
      if (round % 2)
        std::swap(order[first], order[last]);
      else
        std::shuffle(order.begin() + first, order.begin() + last + 1, random);
      auto passes = [&](int64_t a, int64_t b) { return jobs.chainOf(a) == jobs.chainOf(b) && a > b; };
      bool staysInTurn = true; // the jobs of each chain
      for (int64_t a = first; a <= last; ++a)
        for (int64_t b = a + 1; b <= last; ++b)
          staysInTurn &= !passes(order[a], order[b]);
      if (!staysInTurn) {
        order = before;
        continue;
      }
      int64_t expected = makespanOf(), most = now + now / int64_t(10 + random() % 100);
      std::optional<int64_t> found = times.tryOrder(order, first, last, most);
      EXPECT_EQ(found.value_or(-1), expected > most ? -1 : expected);
      endless += expected < 0;
      slow += expected > most;
      if (found && round % 3) {
        times.keep();
        now = *found;
        ++kept;
      } else {
        order = before;
        times.undo(order, first, last);
      }
      std::vector<std::pair<int64_t, int64_t>> pairs;
      times.findPairs(pairs);
      for (auto [rank, at] : pairs)
        EXPECT_EQ(times.pathThrough(orders[rank], at, at + 1), now);
    }
  }
  EXPECT_GT(std::min({endless, slow, kept}), 100);
}

// Whatever was asked before, answers and bounds are those of the problem itself; each change here changes one of them.
TEST(AutoSchedule, KnownOrdersAreThoseOfTheProblem) {
  KnownOrders known;
  ScheduleProblem problem = unequal(3, 4, 100);
  std::vector<ScheduleProblem> problems(9, problem);
  problems[1].stages[1].ns[2] += 1000;
  problems[2].dependences[0].ns += 1000;
  for (auto &stage : problems[3].stages)
    stage.inFlight = 1;
  problems[4].capBytes.assign(3, 4);
  problems[5].microBatches = 3;
  problems[6].samples = {1, 4, 4, 4};
  problems[7].stages[0].heldByF += 200;
  problems[8].stages[2].rank = 1;
  std::set<std::pair<int64_t, int64_t>> steps;
  for (int round = 0; round < 2; ++round)
    for (const ScheduleProblem &each : problems) {
      Schedule expected, found;
      Fault expectedFault = solve(automatic, each, expected), fault = known.solve(ScheduleKind::automatic, each, found);
      EXPECT_EQ(fault.has_value(), expectedFault.has_value());
      EXPECT_EQ(found.ranks, expected.ranks);
      if (fault) {
        steps.insert({0, 0});
        continue;
      }
      EXPECT_EQ(known.bound(each), each.bound());
      steps.insert({makespanOf(each, found), each.bound()});
    }
  EXPECT_GE(steps.size(), 7u);
  Schedule found;
  ASSERT_EQ(known.solve(ScheduleKind::oneFOneB, problem, found), std::nullopt);
  Schedule expected;
  ASSERT_EQ(solve(plc::rowOf(ScheduleKind::oneFOneB), problem, expected), std::nullopt);
  EXPECT_EQ(found.ranks, expected.ranks);
}

// Better than what it starts from, equal from run to run, and never more bytes than there are.
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

// Of equal steps the one whose ranks end soonest, which can update then: where a rank is the slowest by far, several schedules
// are as good.
TEST(AutoSchedule, EndsSoonerThanOthers) {
  int64_t equal = 0, sooner = 0;
  auto sumOfEnds = [](const ScheduleProblem &problem, const Schedule &schedule) {
    Simulation simulation;
    EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
    int64_t sum = 0;
    for (const std::vector<int64_t> &ends : simulation.end)
      sum += ends.back();
    return sum;
  };
  for (int64_t stages : {2, 3, 4})
    for (int64_t microBatches : {1, 2, 4}) {
      ScheduleProblem problem = unequal(stages, microBatches, 2 * microBatches);
      for (int64_t &ns : problem.stages.back().ns)
        ns *= 4;
      Schedule found;
      ASSERT_EQ(solve(automatic, problem, found), std::nullopt);
      for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
        Schedule other;
        if (family.follows != OrderSource::shape || solve(family, problem, other) || problem.verify(other) ||
            makespanOf(problem, other) > makespanOf(problem, found))
          continue;
        ++equal;
        sooner += sumOfEnds(problem, found) < sumOfEnds(problem, other);
        EXPECT_LE(sumOfEnds(problem, found), sumOfEnds(problem, other)) << family.name;
      }
    }
  EXPECT_GT(equal, sooner);
  EXPECT_GT(sooner, 0);
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

// Neighbours that change places one turn at a time end 1.4 % above the bound here.
TEST(AutoSchedule, MovesAllTurnsAtOnce) {
  ScheduleProblem problem = unequal(8, 32, 16, /*seed=*/8);
  Schedule schedule;
  ASSERT_EQ(solve(automatic, problem, schedule), std::nullopt);
  EXPECT_LE(makespanOf(problem, schedule) * 1000, problem.bound() * 1004);
}

/// A problem of `ScheduleGaps random P M`: the one that it solves as number `round`, from 0.
ScheduleProblem ofUnequalMemory(int64_t ranks, int64_t microBatches, int round) {
  std::mt19937_64 random(7);
  ScheduleProblem problem;
  for (; round >= 0; --round) {
    problem = unequalPipeline(random, ranks, microBatches);
    for (int64_t s = 0; s < ranks; ++s)
      problem.capBytes.push_back(ranks + random() % (3 * ranks + 1));
  }
  return problem;
}

// Moves alone end 3.7 % above the bound here: they change a turn at a time, of an order whose every turn is another.
TEST(AutoSchedule, RepeatsTurnsOfFewerMicroBatches) {
  ScheduleProblem problem = ofUnequalMemory(8, 32, 1);
  Schedule schedule;
  ASSERT_EQ(solve(automatic, problem, schedule), std::nullopt);
  EXPECT_LE(makespanOf(problem, schedule) * 1000, problem.bound() * 1025);
}

// Moves and turns end 3.9 % above the bound here: what a rank runs first is one of a few orders until ranks differ in it.
TEST(AutoSchedule, SearchesPriorities) {
  ScheduleProblem problem = ofUnequalMemory(8, 32, 5);
  Schedule schedule;
  ASSERT_EQ(solve(automatic, problem, schedule), std::nullopt);
  EXPECT_LE(makespanOf(problem, schedule) * 1000, problem.bound() * 1037);
}

// Where memory and work bind at once for many turns, the bound falls behind, while the order is the best or nearly so: 3
// ranks, memory for 2 micro-batches and half of one more, and 32 micro-batches; the bound is 5.6 % below the optimum. Windows
// alone, which see the turns of few micro-batches, end 11.1 % below it.
TEST(ScheduleBound, FallsBehindWhereTheOrderDoesNot) {
  ScheduleProblem problem = unequal(3, 32, 4, /*seed=*/25);
  problem.capBytes[1] = 5;
  Schedule schedule;
  ASSERT_EQ(solve(automatic, problem, schedule), std::nullopt);
  int64_t makespan = makespanOf(problem, schedule);
  Jobs jobs(problem);
  ForcedOrder forced(jobs);
  TimedOrders best{ordersOf(jobs, schedule), makespan};
  EXPECT_TRUE(solveExactly(jobs, forced, 200'000, best)); // the optimum, proven
  EXPECT_LE(makespan * 1000, best.makespan * 1001);
  EXPECT_LT(boundOf(jobs, forced) * 100, best.makespan * 90);
  EXPECT_GT(problem.bound() * 100, best.makespan * 94);
  EXPECT_LT(problem.bound() * 100, best.makespan * 96);
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

// What few micro-batches take holds anywhere in an order of more: no order is faster, with chunks, caps and stages that lack B
// or W.
TEST(ScheduleBound, TurnsAreNeverAboveAnOrder) {
  std::mt19937_64 random(2);
  int64_t larger = 0;
  for (int round = 0; round < 24; ++round) {
    ScheduleProblem problem = randomProblem(random, 2 + round / 2 % 3, 5 + int64_t(random() % 8), 1 + round % 2);
    problem.samples.clear();
    Schedule schedule;
    if (solve(automatic, problem, schedule))
      continue;
    Jobs jobs(problem);
    int64_t byWindows = boundOf(jobs, ForcedOrder(jobs));
    larger += problem.bound() > byWindows;
    EXPECT_GE(problem.bound(), byWindows);
    EXPECT_LE(problem.bound(), makespanOf(problem, schedule)) << "round " << round;
  }
  EXPECT_GT(larger, 0);
}

} // namespace

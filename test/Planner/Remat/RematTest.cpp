//===- RematTest.cpp - kept layers, compared with all subsets; clones -----===//
#include "plc/Planner/Remat/RematPolicies.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace plc::planner;

namespace {

int64_t sumOf(const SubsetSumProblem &problem, unsigned subset) {
  int64_t sum = 0;
  for (size_t i = 0; i < problem.bytes.size(); ++i)
    sum += subset >> i & 1 ? problem.bytes[i] : 0;
  return sum;
}

// The best of all subsets; of equals the largest as a number, whose highest bit is the deepest layer.
unsigned bruteForce(const SubsetSumProblem &problem) {
  unsigned best = 0;
  for (unsigned subset = 1; subset < 1u << problem.bytes.size(); ++subset)
    if (sumOf(problem, subset) <= problem.limit && sumOf(problem, subset) >= sumOf(problem, best))
      best = subset;
  return best;
}

TEST(KeepMost, IsTheBestSubsetAndTheDeepest) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    SubsetSumProblem problem;
    for (int i = random() % 9; i >= 0; --i)
      problem.bytes.push_back(random() % (round % 2 ? 5 : 100));
    int64_t before = 0;
    for (problem.limit = 0; problem.limit <= 120; problem.limit += 7) {
      std::vector<bool> kept;
      ASSERT_EQ(solveSubsetSum(problem, kept), std::nullopt);
      unsigned subset = 0;
      for (size_t i = 0; i < kept.size(); ++i)
        subset |= unsigned(kept[i]) << i;
      EXPECT_EQ(subset, bruteForce(problem));
      EXPECT_LE(before, sumOf(problem, subset)); // a larger limit never keeps less
      EXPECT_LE(sumOf(problem, subset), problem.bound());
      before = sumOf(problem, subset);
    }
  }
}

TEST(KeepMost, RefusesWhatIsNoProblem) {
  std::vector<bool> kept;
  EXPECT_EQ(*solveSubsetSum({{1, -2}, 3}, kept), "layer 1 has -2 bytes");
  EXPECT_EQ(*solveSubsetSum({{1}, -3}, kept), "the limit is -3 bytes");
  EXPECT_EQ(*SubsetSumProblem({{1, 2}, 2}).verify({true, true}), "keeps 3 bytes of 2");
  EXPECT_EQ(*SubsetSumProblem({{1, 2}, 2}).verify({true}), "tells of 1 layers whether they are kept, but there are 2");
}

// 40 layers of distinct sizes have 2^40 sums; those that are looked at come near to the limit.
TEST(KeepMost, ManySumsAreRounded) {
  SubsetSumProblem problem;
  int64_t all = 0;
  for (int64_t i = 0; i < 40; ++i) {
    problem.bytes.push_back(1000003 + 7919 * i * i);
    all += problem.bytes.back();
  }
  for (int64_t percent : {10, 50, 90}) {
    problem.limit = all / 100 * percent;
    std::vector<bool> kept;
    ASSERT_EQ(solveSubsetSum(problem, kept), std::nullopt);
    int64_t sum = 0;
    for (size_t i = 0; i < kept.size(); ++i)
      sum += kept[i] ? problem.bytes[i] : 0;
    EXPECT_GE(sum, problem.bound() / 1000 * 998);
  }
}

// x0 -> call 0 -> x1 -> call 1 -> x2 ..; call i also makes a residual r of `bytes` that backward reads, with x(i).
RematProblem chain(int64_t layers, int64_t bytes = 10) {
  RematProblem problem;
  problem.values.push_back({1});
  problem.backward.emplace_back();
  for (int64_t i = 0; i < layers; ++i) {
    int64_t x = problem.values.size() - (i ? 2 : 1);
    problem.backward[0].args.push_back(x);
    int64_t y = problem.values.size();
    problem.values.push_back({1, i});
    problem.values.push_back({bytes, i});
    problem.calls.push_back({i, true, -1, {x}, {y, y + 1}});
    problem.backward[0].args.push_back(y + 1);
  }
  return problem;
}

std::vector<int64_t> segmentsOf(const RematMode &mode, RematProblem problem) {
  EXPECT_EQ(problem.check(), std::nullopt);
  EXPECT_EQ(chooseSegments(mode, problem), std::nullopt);
  Remat answer = recompute(problem);
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  std::vector<int64_t> segments;
  for (const auto &call : problem.calls)
    segments.push_back(call.segment);
  return segments;
}

using Segments = std::vector<int64_t>;

TEST(ChooseSegments, StartsAtCheckpoints) {
  RematMode mode;
  EXPECT_EQ(segmentsOf(mode, chain(3)), (Segments{-1, -1, -1}));
  mode.policy = RematPolicy::uniform;
  mode.interval = 2;
  EXPECT_EQ(segmentsOf(mode, chain(5)), (Segments{0, 0, 2, 2, 4}));
  mode.minInterval = 3;
  EXPECT_EQ(segmentsOf(mode, chain(5)), (Segments{0, 0, 0, 3, 3}));
  mode.policy = RematPolicy::selective;
  mode.layers = {4, 1};
  EXPECT_EQ(segmentsOf(mode, chain(5)), (Segments{-1, 1, 1, 1, 4}));
  RematProblem problem = chain(5);
  problem.calls[2].selected = false;
  problem.calls[4].layer = -1;
  mode.layers = {1};
  EXPECT_EQ(segmentsOf(mode, problem), (Segments{-1, 1, -1, 1, -1}));
  mode.grain = Grain::equation;
  EXPECT_EQ(segmentsOf(mode, problem), (Segments{-1, 1, -1, 1, 1}));
}

// The last layer's input is read, its residual is as large as any: k layers kept whole take 10 k bytes and the inputs.
TEST(ChooseSegments, KeepsDeepLayersWhileTheyFit) {
  RematMode mode;
  mode.policy = RematPolicy::dynamic;
  mode.memoryFraction = 1;
  EXPECT_EQ(segmentsOf(mode, chain(4)), (Segments{-1, -1, -1, -1})); // 43 bytes
  mode.memoryFraction = 0.999;
  EXPECT_EQ(segmentsOf(mode, chain(4)), (Segments{0, -1, -1, -1}));
  mode.memoryFraction = 0.5;
  EXPECT_EQ(segmentsOf(mode, chain(4)), (Segments{0, 1, 2, -1})); // 13 of 21
  mode.memoryFraction = 0;
  EXPECT_EQ(segmentsOf(mode, chain(4)), (Segments{0, 1, 2, 3}));
}

TEST(ChooseSegments, RefusesWhatIsNoMode) {
  auto fault = [](auto change) {
    RematMode mode;
    RematProblem problem = chain(4);
    change(mode);
    return chooseSegments(mode, problem).value_or("");
  };
  EXPECT_EQ(fault([](RematMode &m) { m.policy = RematPolicy::uniform, m.interval = 0; }),
            "interval is 0 but must be positive");
  EXPECT_EQ(fault([](RematMode &m) { m.minInterval = 0; }), "min-interval is 0 but must be positive");
  EXPECT_EQ(fault([](RematMode &m) { m.policy = RematPolicy::selective; }), "policy 'selective' selects no layers");
  auto select = [&](std::vector<int64_t> layers, int64_t least = 1) {
    return fault([&](RematMode &m) { m.policy = RematPolicy::selective, m.layers = layers, m.minInterval = least; });
  };
  EXPECT_EQ(select({4}), "layer 4 is selected but the model has 4 layers");
  EXPECT_EQ(select({-1}), "layer -1 is selected but the model has 4 layers");
  EXPECT_EQ(select({2, 0, 2}), "layer 2 is selected twice");
  EXPECT_EQ(select({3, 0, 2}, 2), "layers 2 and 3 are selected but min-interval is 2");
  EXPECT_EQ(fault([](RematMode &m) { m.policy = RematPolicy::dynamic, m.memoryFraction = 1.5; }),
            "memory-fraction is 1.500000 but must be from 0 to 1");
  EXPECT_EQ(fault([](RematMode &m) { m.policy = RematPolicy::dynamic, m.memoryFraction = std::nan(""); }),
            "memory-fraction is nan but must be from 0 to 1");
  EXPECT_EQ(plc::describeUnknown<RematPolicy>("some"), "checkpoint policy 'some' is not supported; there are 'none', "
                                                       "'uniform', 'selective', 'dynamic' and 'budget'");
}

// Layers 0 and 1 are a segment: x1 and r0 are computed again by call 0, r1 by call 1; x2 crosses and is kept.
TEST(Recompute, ClonesWhatDoesNotCross) {
  RematProblem problem = chain(3);
  ASSERT_EQ(chooseSegments({RematPolicy::uniform, 2}, problem), std::nullopt);
  Remat answer = recompute(problem);
  EXPECT_EQ(answer.cloned, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(answer.kept, (std::vector<bool>{false, false, false, true, false, false, false}));
  EXPECT_EQ(problem.keptBytes(answer), 1);
  problem.values[2].pinned = true; // r0 is an output: it is there, and its bytes are not those of recomputation
  EXPECT_EQ(problem.keptBytes(recompute(problem)), 1);
  EXPECT_TRUE(recompute(problem).kept[2]);
}

// A policy may keep single values of a segment: r0 is kept, and x1 is still computed again, for r1.
TEST(Recompute, KeepsWhatAPolicyNames) {
  RematProblem problem = chain(2);
  ASSERT_EQ(chooseSegments({RematPolicy::uniform, 2}, problem), std::nullopt);
  problem.values[2].keep = true;
  Remat answer = recompute(problem);
  EXPECT_EQ(answer.kept, (std::vector<bool>{false, false, true, false, false}));
  EXPECT_EQ(answer.cloned, (std::vector<bool>{true, true}));
  EXPECT_EQ(problem.verify(answer), std::nullopt);
}

// The second stage receives x1, which is there: nothing of the first is kept or computed again for it.
TEST(Recompute, StagesStartAnew) {
  RematProblem problem = chain(2);
  ASSERT_EQ(chooseSegments({RematPolicy::uniform, 2}, problem), std::nullopt);
  problem.calls[1].stage = 1;
  problem.backward = {{TaskKind::B, {0}, 0}, {TaskKind::B, {1, 4}, 1}};
  Remat answer = recompute(problem);
  EXPECT_EQ(answer.kept, std::vector<bool>(5, false));
  EXPECT_EQ(answer.cloned, (std::vector<bool>{false, true}));
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  EXPECT_EQ(problem.peakBytes(answer), 10);
}

// Forward calls of 1 or 2 results, which read some of what is there; a backward call for each, in reverse.
RematProblem randomProblem(std::mt19937 &random) {
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  RematProblem problem;
  problem.values.push_back({upTo(9)});
  for (int64_t call = 0; call < 5; ++call) {
    RematProblem::Call each{call, upTo(4) > 0};
    each.ns = upTo(20);
    for (int64_t value = 0; value < int64_t(problem.values.size()); ++value)
      if (upTo(2) == 0)
        each.args.push_back(value);
    for (int64_t result = upTo(1); result >= 0; --result) {
      each.results.push_back(problem.values.size());
      problem.values.push_back({upTo(9), call, /*pinned=*/upTo(5) == 0});
    }
    problem.calls.push_back(each);
  }
  for (int64_t call = 4; call >= 0; --call) {
    RematProblem::BackwardCall each{upTo(1) ? TaskKind::B : TaskKind::W};
    for (int64_t value = 0; value < int64_t(problem.values.size()); ++value)
      if (upTo(3) == 0)
        each.args.push_back(value);
    problem.backward.push_back(each);
  }
  return problem;
}

// Every choice of kept values, by force: none keeps less, or takes less time at its bytes, than the bounds say, and
// none holds less at once than it keeps. A limit is kept exactly by the answers whose peak is at most it.
TEST(Bounds, NoChoiceIsBelow) {
  std::mt19937 random(2);
  int64_t reached = 0;
  for (int round = 0; round < 200; ++round) {
    RematProblem problem = randomProblem(random);
    ASSERT_EQ(problem.check(), std::nullopt);
    for (auto &call : problem.calls)
      call.segment = call.selected ? 0 : -1;
    std::vector<std::pair<int64_t, int64_t>> answers; // bytes, ns
    for (unsigned subset = 0; subset < 1u << problem.values.size(); ++subset) {
      for (size_t value = 0; value < problem.values.size(); ++value)
        problem.values[value].keep = subset >> value & 1;
      Remat answer = recompute(problem);
      problem.limitBytes = 0;
      ASSERT_EQ(problem.verify(answer), std::nullopt);
      int64_t bytes = problem.keptBytes(answer), ns = problem.recomputeNs(answer), peak = problem.peakBytes(answer);
      answers.emplace_back(bytes, ns);
      EXPECT_GE(bytes, problem.boundKeptBytes());
      EXPECT_GE(ns, problem.boundRecomputeNs(bytes));
      EXPECT_GE(peak, bytes);
      problem.limitBytes = peak;
      EXPECT_EQ(problem.verify(answer), std::nullopt);
      if (problem.limitBytes = peak - 1; peak > 1) {
        EXPECT_TRUE(problem.verify(answer)->isNoPlan);
      }
    }
    for (auto [bytes, ns] : answers)
      reached += ns > 0 && ns == problem.boundRecomputeNs(bytes);
  }
  EXPECT_GT(reached, 0); // it is not always too low
}

TEST(Recompute, VerifyRefusesWhatIsMissing) {
  RematProblem problem = chain(2);
  ASSERT_EQ(chooseSegments({RematPolicy::uniform, 1}, problem), std::nullopt);
  Remat answer = recompute(problem);
  answer.kept[1] = false;
  answer.cloned = {false, true};
  EXPECT_EQ(*problem.verify(answer), "backward reads value 2, which is neither kept nor computed again");
  problem.backward[0].args = {4};
  EXPECT_EQ(*problem.verify(answer), "the clone of call 1 reads value 1, which is neither kept nor computed again");
  problem.calls[1].segment = -1;
  EXPECT_EQ(*problem.verify(answer), "call 1 is computed again but has no segment");
  EXPECT_EQ(*problem.verify({}), "is about 0 values and 0 calls of 5 and 2");
  problem.backward[0].args = {9};
  EXPECT_EQ(*problem.check(), "backward reads value 9, which nothing makes");
  problem.calls[0].args = {3};
  EXPECT_EQ(*problem.check(), "call 0 reads value 3, which is not made before it");
  problem.calls[0].args = {};
  problem.calls[1].results = {1};
  EXPECT_EQ(*problem.check(), "call 1 makes value 1, which has another maker");
}

} // namespace

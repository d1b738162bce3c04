//===- PartitionTest.cpp - cuts, compared with all cuts there are ---------===//
#include "plc/Planner/Partition.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

PartitionProblem chain(std::vector<int64_t> ns, int64_t stages) {
  PartitionProblem problem;
  for (int64_t each : ns)
    problem.parts.push_back({"p" + std::to_string(problem.parts.size()), each});
  problem.stages = stages;
  problem.inFlight.assign(stages, 1);
  return problem;
}

// The best of all compositions of the parts, or -1.
int64_t bruteForce(const PartitionProblem &problem, std::vector<int64_t> counts = {}) {
  int64_t left = problem.parts.size(), best = -1;
  for (int64_t count : counts)
    left -= count;
  if (int64_t(counts.size()) == problem.stages) {
    Partition answer;
    return left == 0 && !fixPartition(problem, counts, answer) ? answer.slowestNs : -1;
  }
  for (int64_t count = 1; count <= left; ++count) {
    counts.push_back(count);
    int64_t worst = bruteForce(problem, counts);
    counts.pop_back();
    best = best < 0 || (worst >= 0 && worst < best) ? worst : best;
  }
  return best;
}

// torchgpipe's block partition cuts 1, 1, 1, 4 here.
TEST(Partition, SevenEqualLayersInFour) {
  PartitionProblem problem = chain(std::vector<int64_t>(7, 10), 4);
  Partition answer;
  EXPECT_EQ(solveByChainDP(problem, answer), std::nullopt);
  EXPECT_EQ(answer.slowestNs, 20);
  EXPECT_EQ(*std::max_element(answer.counts.begin(), answer.counts.end()), 2);
  EXPECT_EQ(problem.bound(), 18);
}

// Min-max-difference (DeepSpeed) leaves stages empty; here every count is positive and nothing is lost.
TEST(Partition, NoStageIsEmpty) {
  for (int64_t stages = 1; stages <= 5; ++stages) {
    Partition answer;
    EXPECT_EQ(solveByChainDP(chain({100, 1, 1, 1, 1}, stages), answer), std::nullopt);
    EXPECT_EQ(int64_t(answer.counts.size()), stages);
    EXPECT_EQ(std::accumulate(answer.counts.begin(), answer.counts.end(), int64_t(0)), 5);
    for (int64_t count : answer.counts)
      EXPECT_GT(count, 0);
  }
}

TEST(Partition, ReceivedTensorsCountOncePerStage) {
  PartitionProblem problem = chain({1, 1, 1}, 2);
  problem.tensors.push_back({0, {1, 2}, 5, 64});
  EXPECT_EQ(problem.timeOf(1, 3), 2 + 5);
  EXPECT_EQ(problem.timeOf(0, 2), 2);
  EXPECT_EQ(problem.timeOf(2, 3), 1 + 5);
}

TEST(Partition, EqualsBruteForce) {
  std::mt19937 random(1);
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  for (int round = 0; round < 300; ++round) {
    int64_t parts = 1 + upTo(7), stages = 1 + upTo(parts - 1);
    PartitionProblem problem = chain({}, stages);
    for (int64_t part = 0; part < parts; ++part)
      problem.parts.push_back({"p", upTo(50), upTo(100), upTo(100)});
    for (int64_t &flying : problem.inFlight)
      flying = 1 + upTo(3);
    for (int64_t i = upTo(4); i > 0; --i)
      problem.tensors.push_back({upTo(parts - 1), {upTo(parts - 1)}, upTo(20), upTo(100)});
    problem.residents.push_back({{upTo(parts - 1)}, upTo(200), upTo(100)});
    problem.limitBytes = round % 2 ? 200 + upTo(1500) : 0;
    if (round % 3 == 0) { // ranks 0 .. r, each named once, then at random
      for (int64_t ranks = 1 + upTo(stages - 1), stage = 0; stage < stages; ++stage)
        problem.place.push_back(stage < ranks ? stage : upTo(ranks - 1));
      std::shuffle(problem.place.begin(), problem.place.end(), random);
    }
    Partition answer;
    Fault fault = solveByChainDP(problem, answer);
    int64_t best = bruteForce(problem);
    if (best < 0) {
      ASSERT_TRUE(fault);
      EXPECT_TRUE(fault->isNoPlan) << *fault;
      continue;
    }
    EXPECT_EQ(fault, std::nullopt) << *fault;
    EXPECT_EQ(answer.slowestNs, best);
    EXPECT_LE(problem.bound(), best);
  }
}

// Stages 0 and 2 share a rank: not the slowest stage counts, but both together.
TEST(Partition, SlowestRankOfSharedOnes) {
  PartitionProblem problem = chain({10, 10, 10, 10}, 3);
  problem.place = {0, 1, 0};
  Partition answer;
  ASSERT_EQ(solveByChainDP(problem, answer), std::nullopt);
  EXPECT_EQ(answer.counts, (std::vector<int64_t>{1, 2, 1}));
  EXPECT_EQ(answer.slowestNs, 20);
  EXPECT_EQ(problem.bound(), 20);
  for (PartitionProblem::Part &part : problem.parts)
    part.keptBytes = 1 << 20;
  problem.limitBytes = 1 << 20;
  EXPECT_EQ(*solveByChainDP(problem, answer),
            "no plan fits: rank 0 (stages 0, 2) needs 2.0 MiB, limit 1.0 MiB, largest part 'p0' 1.0 MiB");
  problem.place = {0, 2, 0};
  EXPECT_EQ(*problem.check(), "place leaves out rank 1");
  problem.place = {0, 1};
  EXPECT_EQ(*problem.check(), "places 2 of 3 stages");
}

// More undominated states than are kept: still an answer, within a tenth of the bound here.
TEST(Partition, ManyStagesOnFewRanks) {
  std::mt19937 random(2);
  PartitionProblem problem = chain({}, 8);
  for (int64_t part = 0; part < 40; ++part)
    problem.parts.push_back({"p", int64_t(1000 + random() % 9000)});
  problem.place = {0, 1, 2, 3, 0, 1, 2, 3};
  Partition answer;
  ASSERT_EQ(solveByChainDP(problem, answer), std::nullopt);
  EXPECT_LE(answer.slowestNs, problem.bound() * 11 / 10);
}

TEST(Partition, TellsWhatBinds) {
  PartitionProblem problem = chain({1, 1}, 2);
  problem.parts[1].keptBytes = 3 << 20;
  problem.limitBytes = 1 << 20;
  Partition answer;
  EXPECT_EQ(*solveByChainDP(problem, answer),
            "no plan fits: stage 1 needs 3.0 MiB, limit 1.0 MiB, largest part 'p1' 3.0 MiB");
  EXPECT_EQ(*solveByChainDP(chain({1}, 2), answer), "no plan fits: 2 stages but only 1 parts to cut");
  EXPECT_EQ(*fixPartition(chain({1, 1}, 2), {2, 0}, answer), "stage 1 has 0 parts");
  EXPECT_EQ(*fixPartition(chain({1, 1}, 2), {2, 1}, answer), "stages have 3 parts but there are 2");
}

TEST(Partition, VerifyRefusesWrongAnswers) {
  PartitionProblem problem = chain({1, 2}, 2);
  EXPECT_EQ(*problem.verify({{1, 1}, 1}), "the slowest rank takes 2 ns, not 1");
  EXPECT_EQ(*problem.verify({{2}, 3}), "has 1 counts but 2 stages");
}

} // namespace

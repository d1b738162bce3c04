//===- PartitionTest.cpp - cuts, compared with all cuts there are ---------===//
#include "plc/Planner/Cuts/Partition.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace plc::planner;

namespace {

using List = std::vector<int64_t>;

PartitionProblem chain(const List &ns, int64_t stages) {
  PartitionProblem problem;
  for (int64_t each : ns) {
    int64_t node = int64_t(problem.nodes.size());
    problem.nodes.push_back({"p" + std::to_string(node), each});
    if (node)
      problem.tensors.push_back({node - 1, {node}});
  }
  for (int64_t stage = 0; stage < stages; ++stage)
    problem.rankOf.push_back(stage);
  return problem;
}

/// Parts with forward tensors from lower to higher numbers, and some gradients.
PartitionProblem randomGraph(std::mt19937 &random, int64_t nodes, int64_t stages) {
  auto upTo = [&](int64_t most) { return int64_t(random() % uint32_t(most + 1)); };
  PartitionProblem problem;
  for (int64_t stage = 0; stage < stages; ++stage)
    problem.rankOf.push_back(stage);
  for (int64_t node = 0; node < nodes; ++node)
    problem.nodes.push_back({"p", upTo(50)});
  for (int64_t node = 0; node + 1 < nodes; ++node) {
    List readers;
    for (int64_t other = node + 1; other < nodes; ++other)
      if (upTo(nodes) < 2)
        readers.push_back(other);
    problem.tensors.push_back({node, readers, upTo(9)});
    for (int64_t reader : readers)
      if (upTo(1))
        problem.tensors.push_back({reader, {node}, upTo(9), /*forward=*/false});
  }
  return problem;
}

/// Calls `visit` with each cut that there is, which it tells by itself.
template <typename Visit>
void forEachCut(const PartitionProblem &problem, const Visit &visit) {
  List stageOf(problem.nodes.size());
  Edges orders = problem.orders();
  auto place = [&](auto &self, size_t node) -> void {
    if (node == stageOf.size()) {
      std::vector<bool> isFilled(problem.rankOf.size());
      for (int64_t stage : stageOf)
        isFilled[size_t(stage)] = true;
      if (std::find(isFilled.begin(), isFilled.end(), false) == isFilled.end())
        visit(stageOf);
      return;
    }
    int64_t first = 0; // edges go to higher numbers
    for (auto [before, after] : orders)
      if (after == int64_t(node))
        first = std::max(first, stageOf[size_t(before)]);
    for (int64_t stage = first; stage < problem.stages(); ++stage) {
      stageOf[node] = stage;
      self(self, node + 1);
    }
  };
  place(place, 0);
}

// Each stage that receives a tensor takes its time, once however many of its parts read it; a rank takes that of its
// stages.
TEST(Partition, ReceivedTensorsCountOncePerStage) {
  PartitionProblem problem = chain({10, 20, 30, 40}, 3);
  problem.tensors = {{0, {1, 2, 3}, 5}, {3, {0}, 7, /*forward=*/false}};
  List stageOf = {0, 1, 1, 2};
  EXPECT_EQ(problem.nsOfStages(stageOf), (List{17, 55, 45}));
  EXPECT_EQ(problem.slowestNs(stageOf), 55);
  problem.rankOf = {0, 1, 0};
  EXPECT_EQ(problem.slowestNs(stageOf), 62);
}

TEST(Partition, CutsHaveNoEmptyStageAndNothingGoesBack) {
  PartitionProblem problem = chain({1, 1, 1}, 2);
  problem.tensors.push_back({2, {0}, 1, /*forward=*/false});
  EXPECT_TRUE(problem.isCut({0, 0, 1}));
  EXPECT_FALSE(problem.isCut({0, 0, 0}));
  EXPECT_FALSE(problem.isCut({0, 1, 0}));
}

TEST(Partition, RefusesTimesThatDoNotAddUp) {
  PartitionProblem problem = chain({1, INT64_MAX}, 2);
  EXPECT_EQ(*problem.check(), "times add up to more than 2^62");
  problem.nodes[1].ns = 1;
  EXPECT_FALSE(problem.check());
  problem.tensors[0].ns = int64_t(1) << 61;
  EXPECT_EQ(*problem.check(), "times add up to more than 2^62");
}

// The bound is no more than the best cut, and the next-best cuts are the best neighbours of a cut.
TEST(Partition, BoundAndNextCutsEqualBruteForce) {
  std::mt19937 random(7);
  int64_t bounds = 0, bests = 0;
  for (int64_t round = 0; round < 60; ++round) {
    PartitionProblem problem = randomGraph(random, 4 + int64_t(random() % 5), 2 + int64_t(random() % 3));
    if (round % 3 == 0)
      problem.rankOf.back() = 0; // ranks share
    std::vector<List> cuts;
    forEachCut(problem, [&](const List &stageOf) {
      EXPECT_TRUE(problem.isCut(stageOf));
      cuts.push_back(stageOf);
    });
    int64_t best = problem.slowestNs(cuts.front());
    for (const List &cut : cuts)
      best = std::min(best, problem.slowestNs(cut));
    EXPECT_LE(problem.bound(), best);
    bounds += problem.bound();
    bests += best;
    const List &from = cuts[random() % cuts.size()];
    std::vector<NextCut> next = nextCuts(problem, from);
    for (int64_t stage = 0; stage < problem.stages(); ++stage) {
      int64_t least = -1;
      for (const List &cut : cuts) {
        int64_t moved = 0, isNear = 0;
        for (size_t node = 0; node < cut.size(); ++node) {
          moved += cut[node] != from[node];
          isNear += std::abs(cut[node] - from[node]) == 1 && (cut[node] == stage || from[node] == stage);
        }
        if (moved == 1 && isNear == 1 && (least < 0 || problem.slowestNs(cut) < least))
          least = problem.slowestNs(cut);
      }
      const NextCut &found = next[size_t(stage)];
      EXPECT_EQ(found.node < 0 ? -1 : found.slowestNs, least);
    }
  }
  EXPECT_GE(bounds * 100, bests * 75);
}

// What the sum of the work does not tell: seven equal parts in four stages leave one stage with two of them.
TEST(Partition, BoundSeesThatPartsAreWhole) { EXPECT_EQ(chain({10, 10, 10, 10, 10, 10, 10}, 4).bound(), 20); }

// Each of the three cuts parts a neighbour from its neighbour, which costs 8 forwards and 4 back: 80 + 3 x 12 in four
// ranks.
TEST(Partition, BoundSeesTransfers) {
  PartitionProblem problem = chain({10, 10, 10, 10, 10, 10, 10, 10}, 4);
  for (int64_t node = 1; node < 8; ++node) {
    problem.tensors.push_back({node - 1, {node}, 8});
    problem.tensors.push_back({node, {node - 1}, 4, /*forward=*/false});
  }
  EXPECT_EQ(problem.bound(), 29);
}

// A tensor that may cross several boundaries counts once: from the first part to the last one.
TEST(Partition, BoundCountsASkipOnce) {
  PartitionProblem problem = chain({10, 10, 10, 10}, 4);
  problem.tensors.push_back({0, {3}, 9});
  EXPECT_EQ(problem.bound(), 13); // 40 + 9 in four ranks, rounded up
  problem.rankOf = {0, 1, 0, 1};  // where ranks share, only the work is known
  EXPECT_EQ(problem.bound(), 20);
}

} // namespace

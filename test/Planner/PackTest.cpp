//===- PackTest.cpp - addresses, compared with the bound and all orders ---===//
#include "plc/Planner/Pack.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

// The least end over all orders of first fit: optimal, for some order of first fit gives an optimal packing.
int64_t bruteForce(const PackProblem &problem) {
  std::vector<size_t> order(problem.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = -1;
  do {
    std::vector<int64_t> at(order.size(), -1);
    int64_t end = 0;
    for (size_t i : order) {
      const auto &block = problem.blocks[i];
      int64_t bytes = problem.roundUp(block.bytes), place = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < at.size(); ++j) {
          const auto &other = problem.blocks[j];
          if (at[j] < 0 || other.end <= block.begin || block.end <= other.begin)
            continue;
          int64_t top = at[j] + problem.roundUp(other.bytes);
          if (place < top && at[j] < place + bytes) {
            place = top;
            moved = true;
          }
        }
      }
      at[i] = place;
      end = std::max(end, place + bytes);
    }
    best = best < 0 ? end : std::min(best, end);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Pack, BetweenBoundAndTwiceTheOptimum) {
  std::mt19937 random(1);
  int equal = 0, rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    PackProblem problem;
    problem.alignment = 4;
    for (int i = 0; i < 6; ++i) {
      int64_t begin = random() % 8;
      problem.blocks.push_back({1 + int64_t(random() % 40), begin, begin + 1 + int64_t(random() % 5)});
    }
    Packing packing;
    ASSERT_EQ(firstFitBySize(problem, packing), std::nullopt);
    int64_t best = bruteForce(problem);
    EXPECT_LE(problem.bound(), best);
    EXPECT_LE(best, packing.bytes);
    EXPECT_LE(packing.bytes, 2 * best);
    equal += packing.bytes == best;
  }
  EXPECT_GT(equal, rounds / 2);
}

TEST(Pack, ReusesBytesOfTheDead) {
  PackProblem problem;
  problem.blocks = {{100, 0, 2}, {64, 2, 4}, {64, 1, 3}};
  Packing packing;
  ASSERT_EQ(firstFitBySize(problem, packing), std::nullopt);
  EXPECT_EQ(packing.offsets, (std::vector<int64_t>{0, 0, 128}));
  EXPECT_EQ(packing.bytes, 192);
  EXPECT_EQ(problem.bound(), 192);
}

// By time the small block takes the bottom before the large one is known, and the third finds no hole of its size.
TEST(Pack, ByTimeSeesNoFuture) {
  PackProblem problem;
  problem.blocks = {{64, 0, 2}, {64, 1, 9}, {128, 3, 9}};
  Packing packing;
  ASSERT_EQ(firstFitByTime(problem, packing), std::nullopt);
  EXPECT_EQ(packing.offsets, (std::vector<int64_t>{0, 64, 128}));
  EXPECT_EQ(packing.bytes, 256);
  ASSERT_EQ(firstFitBySize(problem, packing), std::nullopt);
  EXPECT_EQ(packing.bytes, 192);
  problem.blocks[0].end = 0;
  EXPECT_EQ(*firstFitByTime(problem, packing), "block 0 lives from 0 to 0");
}

TEST(Pack, VerifyRefusesWrongPackings) {
  PackProblem problem;
  problem.blocks = {{64, 0, 2}, {64, 1, 3}};
  EXPECT_EQ(*problem.verify({{0, 0}, 64}), "block 0 and block 1 overlap");
  EXPECT_EQ(*problem.verify({{0, 60}, 128}), "block 1 is at offset 60");
  EXPECT_EQ(*problem.verify({{0, 64}, 64}), "ends at 128, not 64");
  EXPECT_EQ(*problem.verify({{0}, 64}), "places 1 of 2 blocks");
  problem.blocks[1].end = 1;
  EXPECT_EQ(*problem.check(), "block 1 lives from 1 to 1");
  problem.blocks[0].bytes = 0;
  EXPECT_EQ(*problem.check(), "block 0 has 0 bytes");
}

} // namespace

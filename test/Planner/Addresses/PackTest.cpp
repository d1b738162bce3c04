//===- PackTest.cpp - addresses, compared with the bound and all orders ---===//
#include "lib/Planner/Addresses/PackInsertion.h"

#include "plc/Planner/Addresses/Pack.h"

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

// A rectangle cut into so many blocks, each time one of them in two, across time or across bytes: the bound is reached.
PackProblem cutRectangle(std::mt19937 &random, size_t count) {
  struct Rectangle {
    int64_t begin, end, bytes;
  };
  std::vector<Rectangle> pieces{{0, 64, 256}};
  while (pieces.size() < count) {
    Rectangle &piece = pieces[random() % pieces.size()];
    Rectangle rest = piece;
    if (random() % 2 && piece.end - piece.begin > 1)
      piece.end = rest.begin = piece.begin + 1 + random() % (piece.end - piece.begin - 1);
    else if (piece.bytes > 1)
      rest.bytes -= piece.bytes = 1 + random() % (piece.bytes - 1);
    else
      continue;
    pieces.push_back(rest);
  }
  PackProblem problem;
  problem.alignment = 1;
  for (const Rectangle &piece : pieces)
    problem.blocks.push_back({piece.bytes, piece.begin, piece.end});
  return problem;
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
    int64_t best = bruteForce(problem), first = packing.bytes;
    EXPECT_LE(problem.bound(), best);
    EXPECT_LE(best, first);
    EXPECT_LE(first, 2 * best);
    equal += first == best;
    ASSERT_EQ(packByOrders(problem, packing), std::nullopt);
    EXPECT_LE(packing.bytes, first);
    EXPECT_EQ(packing.exact, packing.bytes == problem.bound());
    ASSERT_EQ(packMinimal(problem, packing), std::nullopt);
    EXPECT_EQ(packing.bytes, best);
    EXPECT_TRUE(packing.exact);
  }
  EXPECT_GT(equal, rounds / 2);
}

// Where first fit ends above the bound although a packing reaches it, the search finds one; two runs, one answer.
TEST(Pack, SearchReachesTheBound) {
  std::mt19937 random(3);
  int above = 0;
  for (int round = 0; round < 20; ++round) {
    PackProblem problem = cutRectangle(random, 40);
    Packing packing, again;
    ASSERT_EQ(firstFitBySize(problem, packing), std::nullopt);
    above += packing.bytes > problem.bound();
    ASSERT_EQ(packMinimal(problem, packing), std::nullopt);
    EXPECT_EQ(packing.bytes, 256);
    EXPECT_TRUE(packing.exact);
    ASSERT_EQ(packMinimal(problem, again), std::nullopt);
    EXPECT_EQ(packing.offsets, again.offsets);
  }
  EXPECT_GT(above, 10);
}

// A packing that is low enough is searched no lower, though it is above the bound, and is no proof of anything.
TEST(Pack, SearchStopsAtWhatIsEnough) {
  std::mt19937 random(11);
  int stopped = 0;
  for (int round = 0; round < 40; ++round) {
    PackProblem problem = cutRectangle(random, 40);
    Packing first, packing;
    ASSERT_EQ(packByOrders(problem, first), std::nullopt);
    PackEffort effort;
    effort.enoughBytes = problem.bound() + (first.bytes - problem.bound()) / 2;
    ASSERT_EQ(packMinimal(problem, packing, effort), std::nullopt);
    EXPECT_LE(packing.bytes, std::max(effort.enoughBytes, problem.bound()));
    EXPECT_EQ(packing.exact, packing.bytes == problem.bound());
    stopped += !packing.exact;
  }
  EXPECT_GT(stopped, 0);
}

// Blocks that are taken out and put in again, without any search: small problems get the optimum, larger ones the
// bound, which first fit misses.
TEST(Pack, InsertionLowersPackings) {
  PackEffort none{0, 0, 0}, insertion{0, 0, 200'000};
  std::mt19937 random(7);
  auto draw = [&](int blocks, int times) {
    PackProblem problem;
    problem.alignment = 1;
    for (int i = 0; i < blocks; ++i) {
      int64_t begin = random() % times, bytes = int64_t(1) << random() % 7;
      problem.blocks.push_back(
          {bytes + int64_t(random() % bytes), begin, begin + 1 + int64_t(random() % (times * 2 / 3))});
    }
    return problem;
  };
  int optimal = 0, lowered = 0, rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    PackProblem problem = draw(7, 6);
    Packing first, packing;
    ASSERT_EQ(packMinimal(problem, first, none), std::nullopt);
    ASSERT_EQ(packMinimal(problem, packing, insertion), std::nullopt);
    int64_t best = bruteForce(problem);
    EXPECT_LE(best, packing.bytes);
    EXPECT_LE(packing.bytes, first.bytes);
    EXPECT_EQ(packing.exact, packing.bytes == problem.bound());
    optimal += packing.bytes == best;
  }
  EXPECT_EQ(optimal, rounds);
  for (int round = 0; round < 10; ++round) {
    PackProblem problem = draw(100, 30);
    Packing first, packing, again;
    ASSERT_EQ(packMinimal(problem, first, none), std::nullopt);
    ASSERT_EQ(packMinimal(problem, packing, {0, 0, 20'000'000}), std::nullopt);
    EXPECT_EQ(packing.bytes, problem.bound());
    lowered += packing.bytes < first.bytes;
    ASSERT_EQ(packMinimal(problem, again, {0, 0, 20'000'000}), std::nullopt);
    EXPECT_EQ(packing.offsets, again.offsets);
  }
  EXPECT_GE(lowered, 5);
}

// The bound is 3 at every time, but the block of 2 that bridges both halves leaves 1 below or above it, never both.
// Components that share no time are packed apart.
TEST(Pack, ProvesThatTheBoundIsOutOfReach) {
  PackProblem problem;
  problem.alignment = 1;
  problem.blocks = {{2, 0, 3}, {1, 0, 4}, {2, 4, 7}, {1, 3, 7}, {1, 3, 4}, {3, 9, 10}};
  Packing packing;
  int64_t best = bruteForce(problem);
  ASSERT_EQ(packMinimal(problem, packing), std::nullopt);
  EXPECT_EQ(packing.bytes, best);
  EXPECT_TRUE(packing.exact);
}

// 20,000 blocks of which at most 20 live at once: a sweep, not all pairs.
TEST(Pack, LongTimelines) {
  std::mt19937 random(4);
  PackProblem problem;
  for (int64_t i = 0; i < 20000; ++i)
    problem.blocks.push_back({64 * (1 + int64_t(random() % 16)), i, i + 1 + int64_t(random() % 20)});
  Packing packing;
  ASSERT_EQ(packMinimal(problem, packing), std::nullopt);
  EXPECT_LE(packing.bytes, problem.bound() * 3 / 2);
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
// Ends beside those of the oracle that looks at all blocks. Many pairs are placed in that order, too.
TEST(Pack, ByTimeIsFirstFit) {
  std::mt19937 random(11);
  for (int64_t count : {20, 300, 4'000}) {
    PackProblem problem;
    problem.alignment = 64;
    for (int64_t i = 0; i < count; ++i) {
      int64_t begin = random() % (count / 4);
      problem.blocks.push_back({1 + int64_t(random() % 1000), begin, begin + 1 + int64_t(random() % (count / 4))});
    }
    Packing packing, byOrders;
    ASSERT_EQ(firstFitByTime(problem, packing), std::nullopt);
    std::vector<size_t> placed;
    for (size_t i : problem.orderBy(&PackProblem::Block::begin)) {
      if (count > 300)
        break;
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (size_t other : placed)
        if (problem.blocks[other].end > problem.blocks[i].begin)
          taken.emplace_back(packing.offsets[other],
                             packing.offsets[other] + problem.roundUp(problem.blocks[other].bytes));
      std::sort(taken.begin(), taken.end());
      int64_t at = 0;
      for (auto [from, to] : taken)
        if (from < at + problem.roundUp(problem.blocks[i].bytes))
          at = std::max(at, to);
      EXPECT_EQ(packing.offsets[i], at) << i << " of " << count;
      placed.push_back(i);
    }
    ASSERT_EQ(packByOrders(problem, byOrders), std::nullopt);
    EXPECT_EQ(byOrders.offsets == packing.offsets, count == 4'000) << count;
  }
}

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

// Below 192: one fits while the lower fixed block does not live, one under the upper one; the largest nowhere.
TEST(Pack, FillsHolesBelowACapacity) {
  PackProblem problem;
  problem.blocks = {{128, 2, 6}, {64, 0, 4}, {64, 4, 6}, {100, 0, 2}, {192, 5, 7}};
  std::vector<int64_t> offsets{0, 128, -1, -1, -1};
  fillHoles(problem, 192, offsets);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 128, 128, 0, -1}));
}

// As in a pipeline: 4 of each micro-batch's residuals live at once, beside what F and B need for themselves, at other
// times.
TEST(Pack, RepeatedBlocksReachTheBound) {
  PackProblem problem;
  auto add = [&](int64_t bytes, int64_t begin, int64_t end) { problem.blocks.push_back({bytes, begin, end}); };
  for (int64_t i = 0; i < 5000; ++i) {
    add(640, 2 * i, 2 * i + 8);
    add(192, 2 * i, 2 * i + 1);
    add(320, 2 * i + 7, 2 * i + 8);
  }
  Packing packing;
  ASSERT_EQ(packByOrders(problem, packing), std::nullopt);
  EXPECT_EQ(packing.bytes, 4 * 640 + 320);
  EXPECT_TRUE(packing.exact);
}

TEST(Pack, VerifyRefusesWrongPackings) {
  PackProblem problem;
  problem.blocks = {{64, 0, 2}, {64, 1, 3}};
  EXPECT_EQ(*problem.verify({{0, 0}, 64, false}), "block 0 and block 1 overlap");
  EXPECT_EQ(*problem.verify({{0, 60}, 128, false}), "block 1 is at offset 60");
  EXPECT_EQ(*problem.verify({{0, 64}, 64, false}), "ends at 128, not 64");
  EXPECT_EQ(*problem.verify({{0}, 64, false}), "places 1 of 2 blocks");
  problem.blocks[1].end = 1;
  EXPECT_EQ(*problem.check(), "block 1 lives from 1 to 1");
  problem.blocks[0].bytes = 0;
  EXPECT_EQ(*problem.check(), "block 0 has 0 bytes");
  problem.blocks = {{2 * PackProblem::mostBytes, 0, 1}, {1, 2, 3}};
  EXPECT_EQ(*problem.check(), "rounded sizes add up to more than 2^62");
  problem.alignment = PackProblem::mostBytes;
  EXPECT_EQ(*problem.check(), "has alignment 2305843009213693952, too large for 2 blocks");
}

} // namespace

//===- PartialOrderTest.cpp - orders that leave some pairs open ------------===//
#include "plc/Planner/Base/PartialOrder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace plc::planner;

namespace {

Edges draw(std::mt19937 &random, int64_t nodes, int64_t count) {
  Edges edges;
  while (int64_t(edges.size()) < count) {
    int64_t a = int64_t(random() % uint64_t(nodes)), b = int64_t(random() % uint64_t(nodes));
    if (a != b)
      edges.emplace_back(std::min(a, b), std::max(a, b));
  }
  return edges;
}

using Table = std::vector<std::vector<bool>>;

Table reachedBy(int64_t nodes, const Edges &edges) {
  Table reaches(nodes, std::vector<bool>(nodes));
  for (auto [start, end] : edges)
    reaches[start][end] = true;
  for (int64_t middle = 0; middle < nodes; ++middle)
    for (int64_t start = 0; start < nodes; ++start)
      for (int64_t end = 0; reaches[start][middle] && end < nodes; ++end)
        if (reaches[middle][end])
          reaches[start][end] = true;
  return reaches;
}

TEST(PartialOrder, KeepsWhatDoesNotFollowAndNoMore) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    int64_t nodes = 2 + round % 30;
    Edges edges = draw(random, nodes, int64_t(random() % 90)), reduced = reduceOrder(nodes, edges);
    EXPECT_EQ(reachedBy(nodes, reduced), reachedBy(nodes, edges));
    EXPECT_FALSE(findUnordered(nodes, reduced, edges));
    for (size_t i = 0; i < reduced.size(); ++i) {
      Edges fewer = reduced;
      fewer.erase(fewer.begin() + int64_t(i));
      EXPECT_EQ(findUnordered(nodes, fewer, edges), reduced[i]);
    }
  }
}

// More nodes than starts are looked at together.
TEST(PartialOrder, SeesLongWays) {
  constexpr int64_t nodes = 10000;
  Edges chain, edges;
  for (int64_t node = 1; node < nodes; ++node)
    chain.emplace_back(node - 1, node);
  edges = chain;
  for (int64_t node = 0; node + 5000 < nodes; node += 7)
    edges.emplace_back(node, node + 5000);
  EXPECT_EQ(reduceOrder(nodes, edges), chain);
  EXPECT_FALSE(findUnordered(nodes, chain, edges));
  chain.erase(chain.begin() + 4100);
  EXPECT_EQ(findUnordered(nodes, chain, {{4100, 9000}, {0, 4100}}), std::pair(int64_t(4100), int64_t(9000)));
}

TEST(PartialOrder, DrawsOrdersThatRespectIt) {
  std::mt19937 random(2);
  Edges edges = draw(random, 20, 25);
  std::vector<std::vector<int64_t>> drawn;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<int64_t> order = drawOrder(20, edges, seed), place(20);
    ASSERT_EQ(order.size(), 20u);
    for (int64_t i = 0; i < 20; ++i)
      place[order[i]] = i;
    for (auto [start, end] : edges)
      EXPECT_LT(place[start], place[end]);
    drawn.push_back(order);
  }
  EXPECT_EQ(drawOrder(20, edges, 1), drawn[0]);
  std::sort(drawn.begin(), drawn.end());
  EXPECT_GT(std::unique(drawn.begin(), drawn.end()) - drawn.begin(), 15);
}

} // namespace

//===- PackMinimal.cpp - the least height, by restarts --------------------===//
#include "PackInsertion.h"
#include "PackSearch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

using namespace plc::planner;

namespace {

// Components with more blocks are left as `packByOrders` made them: the search keeps all pairs of blocks. Not tuned.
constexpr size_t mostBlocks = 2048;

// The Luby sequence 1, 1, 2, 1, 1, 2, 4, ..: within a constant factor of the best restart lengths, whatever these are
// (Luby et al., 1993).
int64_t restartLength(uint64_t restart) {
  for (;;) {
    if (std::has_single_bit(restart + 1))
      return (restart + 1) / 2;
    restart -= std::bit_floor(restart) - 1;
  }
}

// The score of a block is a product of powers: of the most that lives in one of its sections, of the number of
// sections, of its size, and of how often its sections had no space.
struct Weights {
  double crowd, length, size, trouble;
};

// Kinds of orders, used in turn, and the length of the shortest restart, in multiples of the number of blocks.
struct Restarts {
  std::span<const Weights> kinds;
  double nodes, deadEnds;
};

// At the bound no byte may be lost, so nearly all of a restart fails in one section. What had no space there must come
// first at once: trouble weighs more, and dead ends limit a restart. No tuning of the weights is recorded; with them 9
// of MiniMalloc's instances A to K reach the bound (bench/results.csv).
constexpr Weights kindsAtBound[] = {{64, 1, 0, 3}, {0, 0, 0, 1}, {0, 1, 0.5, 2}, {64, 1, 1, 0}};
constexpr Weights kindsAbove[] = {{0, 1, 0, 1}, {64, 1, 0, 0}, {0, 1, 1, 1}, {0, 0, 0, 1}, {64, 1, 1, 0}, {0, 2, 1, 0}};
constexpr Restarts atBound{kindsAtBound, 0, 0.5}, aboveBound{kindsAbove, 1, 0};

PackSearch::Limit limitOf(const Restarts &restarts, int numBlocks, int64_t length) {
  PackSearch::Limit limit;
  if (restarts.nodes)
    limit.nodes = int64_t(numBlocks * (1 + restarts.nodes * length));
  if (restarts.deadEnds)
    limit.deadEnds = int64_t(numBlocks * restarts.deadEnds * length);
  return limit;
}

// Scores a restart's order. After the first use of each kind noise makes restarts differ.
std::vector<int> orderOf(const PackSearch &search, const Restarts &restarts, uint64_t restart, std::mt19937 &random) {
  const Weights &weights = restarts.kinds[restart % restarts.kinds.size()];
  std::vector<double> score(search.numBlocks());
  for (int block = 0; block < search.numBlocks(); ++block) {
    double noise = restart < restarts.kinds.size() ? 0 : 0.4 * (double(random() % 4096) / 4096 - 0.5);
    score[block] = weights.crowd * std::log(double(search.crowdOf(block))) +
                   weights.length * std::log(double(search.lengthOf(block))) +
                   weights.size * std::log(double(search.sizeOf(block))) +
                   weights.trouble * std::log(1 + search.troubleOf(block)) + noise;
  }
  std::vector<int> order(search.numBlocks());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score[a] > score[b]; });
  return order;
}

// Restarts at one height, until a search ends or the nodes are used up.
PackSearch::End searchBelow(PackSearch &search, const Restarts &restarts, int64_t height, int64_t mostNodes) {
  // A fixed seed: equal problems get equal packings.
  std::mt19937 random(1);
  int64_t nodes = 0;
  for (uint64_t restart = 0; nodes < mostNodes; ++restart) {
    PackSearch::End end = search.run(height, orderOf(search, restarts, restart, random),
                                     limitOf(restarts, search.numBlocks(), restartLength(restart + 1)));
    if (end != PackSearch::End::limit)
      return end;
    // Nodes and not time limit the search, so the answer does not depend on the machine.
    nodes += search.numNodes();
    search.forget();
  }
  return PackSearch::End::limit;
}

// Components: runs of blocks that share no time with other blocks.
std::vector<std::vector<size_t>> splitByTime(const PackProblem &problem) {
  std::vector<std::vector<size_t>> components;
  int64_t end = INT64_MIN;
  for (size_t block : problem.orderBy(&PackProblem::Block::begin)) {
    if (problem.blocks[block].begin >= end)
      components.emplace_back();
    components.back().push_back(block);
    end = std::max(end, problem.blocks[block].end);
  }
  return components;
}

// Packs a component as low as the search finds, but not below the height that other components need in any case.
// Returns a proven lower bound of its height; 0 if nothing was searched.
int64_t lower(const PackProblem &problem, const std::vector<size_t> &blocks, int64_t bound, const PackEffort &effort,
              Packing &packing) {
  int64_t goal = std::max(bound, effort.enoughBytes);
  auto topOf = [&](size_t block) { return packing.offsets[block] + problem.roundUp(problem.blocks[block].bytes); };
  int64_t top = 0;
  for (size_t block : blocks)
    top = std::max(top, topOf(block));
  // Already low enough, or too large to search.
  if (top <= goal || blocks.size() > mostBlocks)
    return 0;
  PackSearch search(problem, blocks);
  auto take = [&](const std::vector<int64_t> &offsets) {
    top = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      packing.offsets[blocks[i]] = offsets[i];
      top = std::max(top, topOf(blocks[i]));
    }
  };
  int64_t unit = search.unit();
  goal = goal / unit * unit; // heights are multiples of the unit
  // Heights below `low` are refuted, or not worth another search.
  int64_t low = goal, proven = 0;
  auto look = [&](PackSearch &search, const Restarts &restarts, int64_t height, int64_t nodes) {
    switch (searchBelow(search, restarts, height, nodes)) {
    case PackSearch::End::none: proven = low = (height / unit + 1) * unit; break;
    case PackSearch::End::limit: low = (height / unit + 1) * unit; break;
    case PackSearch::End::found: take(search.offsets()); break;
    }
  };
  // Of its own, so that trouble at the bound does not mix with that of other heights.
  PackSearch first(problem, blocks);
  look(first, atBound, goal, effort.nodesAtBound);
  int64_t height = std::max(goal, proven);
  // With a goal above the bound, differences below that surplus are not worth a search.
  int64_t apart = std::max(unit, (effort.enoughBytes - bound) / unit * unit);
  // Bisection between the refuted heights and the best packing.
  while (top - low >= apart) {
    look(search, aboveBound, height, effort.nodes);
    height = low + (top - low) / 2;
  }
  // The bound is refuted, so the least height that is not gets the larger effort, too.
  if (proven > goal && top > proven)
    look(search, atBound, proven, effort.nodesAtBound);
  if (int64_t least = std::max(goal, proven); top > least) {
    std::vector<int64_t> offsets;
    for (size_t block : blocks)
      offsets.push_back(packing.offsets[block]);
    take(lowerByInsertion(search, std::move(offsets), least, effort.insertionSteps));
  }
  return proven;
}

} // namespace

Status plc::planner::packMinimal(const PackProblem &problem, Packing &packing) {
  return packMinimal(problem, packing, PackEffort());
}

Status plc::planner::packMinimal(const PackProblem &problem, Packing &packing, const PackEffort &effort) {
  if (Status fault = packByOrders(problem, packing); fault || packing.exact)
    return fault;
  int64_t bound = problem.bound();
  // The bound rises with each component, and the next one need not go below it.
  for (const std::vector<size_t> &blocks : splitByTime(problem))
    bound = std::max(bound, lower(problem, blocks, bound, effort, packing));
  packing.bytes = 0;
  for (size_t block = 0; block < problem.blocks.size(); ++block)
    packing.bytes = std::max(packing.bytes, packing.offsets[block] + problem.roundUp(problem.blocks[block].bytes));
  packing.exact = packing.bytes == bound;
  return problem.verify(packing);
}

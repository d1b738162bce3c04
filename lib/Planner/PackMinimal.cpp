//===- PackMinimal.cpp - the least height, by restarted search ------------===//
#include "PackInsertion.h"
#include "PackSearch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

// Blocks of a component beyond which it is left as it is.
constexpr size_t mostBlocks = 2048;

// 1, 1, 2, 1, 1, 2, 4, ..: restarts that are long enough for whatever the best length is (Luby et al., 1993).
int64_t restartLength(uint64_t restart) {
  for (;;) {
    if (std::has_single_bit(restart + 1))
      return (restart + 1) / 2;
    restart -= std::bit_floor(restart) - 1;
  }
}

// Blocks that live in crowded sections, for long, and where room was missing come first; after the first rounds with
// some noise, so that no two restarts are the same.
std::vector<int> orderOf(const PackSearch &search, uint64_t restart, std::mt19937 &random) {
  constexpr int kinds = 6;
  std::vector<double> score(search.numBlocks());
  for (int block = 0; block < search.numBlocks(); ++block) {
    double size = search.sizeOf(block), length = search.lengthOf(block), trouble = 1 + search.troubleOf(block);
    double crowd = std::pow(double(search.crowdOf(block)), 64);
    const double scores[kinds] = {length * trouble, crowd * length,        length * size * trouble,
                                  trouble,          crowd * size * length, length * length * size};
    double noise = restart < kinds ? 0 : 0.4 * (double(random() % 4096) / 4096 - 0.5);
    score[block] = std::log(std::max(scores[restart % kinds], 1e-300)) + noise;
  }
  std::vector<int> order(search.numBlocks());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score[a] > score[b]; });
  return order;
}

PackSearch::End searchBelow(PackSearch &search, int64_t height, int64_t mostNodes) {
  std::mt19937 random(1);
  int64_t nodes = 0;
  for (uint64_t restart = 1; nodes < mostNodes; ++restart) {
    int64_t limit = search.numBlocks() * (1 + restartLength(restart));
    PackSearch::End end = search.run(height, orderOf(search, restart - 1, random), limit);
    if (end != PackSearch::End::limit)
      return end;
    nodes += search.numNodes();
    search.forget();
  }
  return PackSearch::End::limit;
}

// Runs of blocks that no common time joins to the others.
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

// Packs a component as low as the search finds, but not below what the others need in any case. Returns a height that no
// packing of it is below.
int64_t lower(const PackProblem &problem, const std::vector<size_t> &blocks, int64_t goal, const PackEffort &effort,
              Packing &packing) {
  auto topOf = [&](size_t block) { return packing.offsets[block] + problem.roundUp(problem.blocks[block].bytes); };
  int64_t top = 0;
  for (size_t block : blocks)
    top = std::max(top, topOf(block));
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
  // Heights below `low` are known to be too low, or not worth another search.
  int64_t low = goal, proven = 0, unit = search.unit();
  for (int64_t height = goal; low < top; height = low + (top - low) / 2)
    switch (searchBelow(search, height, effort.nodes)) {
    case PackSearch::End::none: proven = low = (height / unit + 1) * unit; break;
    case PackSearch::End::limit: low = (height / unit + 1) * unit; break;
    case PackSearch::End::found: take(search.offsets()); break;
    }
  PackSearch again(problem, blocks); // that has learned nothing of other heights
  if (int64_t least = std::max(goal, proven); top > least)
    switch (searchBelow(again, least, effort.nodesAtBound)) {
    case PackSearch::End::none: proven = (least / unit + 1) * unit; break;
    case PackSearch::End::limit: break;
    case PackSearch::End::found: take(again.offsets()); break;
    }
  if (int64_t least = std::max(goal, proven); top > least) {
    std::vector<int64_t> offsets;
    for (size_t block : blocks)
      offsets.push_back(packing.offsets[block]);
    take(lowerByInsertion(search, std::move(offsets), least, effort.insertionSteps));
  }
  return proven;
}

} // namespace

Fault plc::planner::packMinimal(const PackProblem &problem, Packing &packing) {
  return packMinimal(problem, packing, PackEffort());
}

Fault plc::planner::packMinimal(const PackProblem &problem, Packing &packing, const PackEffort &effort) {
  if (Fault fault = packByOrders(problem, packing); fault || packing.exact)
    return fault;
  int64_t bound = problem.bound();
  for (const std::vector<size_t> &blocks : splitByTime(problem))
    bound = std::max(bound, lower(problem, blocks, bound, effort, packing));
  packing.bytes = 0;
  for (size_t block = 0; block < problem.blocks.size(); ++block)
    packing.bytes = std::max(packing.bytes, packing.offsets[block] + problem.roundUp(problem.blocks[block].bytes));
  packing.exact = packing.bytes == bound;
  return problem.verify(packing);
}

//===- Pack.cpp - the problem of addresses, first fit, the bound ----------===//
#include "plc/Planner/Pack.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

using namespace plc::planner;

namespace {

std::string name(size_t block) { return "block " + std::to_string(block); }

// Blocks of a packing in the order of begin, so that each is compared with those that still live.
std::vector<size_t> orderByBegin(const PackProblem &problem) {
  std::vector<size_t> order(problem.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(problem.blocks[a].begin, a) < std::pair(problem.blocks[b].begin, b);
  });
  return order;
}

} // namespace

Fault PackProblem::check() const {
  if (alignment <= 0)
    return "has alignment " + std::to_string(alignment) + " but needs 1 or more";
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].bytes <= 0)
      return name(i) + " has " + std::to_string(blocks[i].bytes) + " bytes";
    if (blocks[i].begin >= blocks[i].end)
      return name(i) + " lives from " + std::to_string(blocks[i].begin) + " to " + std::to_string(blocks[i].end);
  }
  return std::nullopt;
}

Fault PackProblem::verify(const Packing &packing) const {
  if (packing.offsets.size() != blocks.size())
    return "places " + std::to_string(packing.offsets.size()) + " of " + std::to_string(blocks.size()) + " blocks";
  int64_t highest = 0;
  std::vector<size_t> live;
  for (size_t i : orderByBegin(*this)) {
    int64_t at = packing.offsets[i], end = at + roundUp(blocks[i].bytes);
    if (at < 0 || at % alignment)
      return name(i) + " is at offset " + std::to_string(at);
    std::erase_if(live, [&](size_t other) { return blocks[other].end <= blocks[i].begin; });
    for (size_t other : live)
      if (at < packing.offsets[other] + blocks[other].bytes && packing.offsets[other] < at + blocks[i].bytes)
        return name(std::min(i, other)) + " and " + name(std::max(i, other)) + " overlap";
    live.push_back(i);
    highest = std::max(highest, end);
  }
  if (highest != packing.bytes)
    return "ends at " + std::to_string(highest) + ", not " + std::to_string(packing.bytes);
  return std::nullopt;
}

int64_t PackProblem::bound() const {
  std::vector<std::pair<int64_t, int64_t>> changes; // at equal times, ends come first
  for (const Block &block : blocks) {
    changes.emplace_back(block.begin, roundUp(block.bytes));
    changes.emplace_back(block.end, -roundUp(block.bytes));
  }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (auto [time, change] : changes)
    most = std::max(most, live += change);
  return most;
}

// Each block in turn at the lowest offset where it fits among those placed before it.
static Fault firstFit(const PackProblem &problem, const std::vector<size_t> &order, Packing &packing) {
  const auto &blocks = problem.blocks;
  packing.offsets.assign(blocks.size(), -1);
  packing.bytes = 0;
  std::vector<size_t> placed; // by offset
  for (size_t i : order) {
    int64_t at = 0, bytes = problem.roundUp(blocks[i].bytes);
    for (size_t other : placed) {
      if (blocks[other].end <= blocks[i].begin || blocks[i].end <= blocks[other].begin)
        continue;
      if (packing.offsets[other] >= at + bytes)
        break;
      at = std::max(at, packing.offsets[other] + problem.roundUp(blocks[other].bytes));
    }
    packing.offsets[i] = at;
    packing.bytes = std::max(packing.bytes, at + bytes);
    auto later = std::upper_bound(placed.begin(), placed.end(), i,
                                  [&](size_t a, size_t b) { return packing.offsets[a] < packing.offsets[b]; });
    placed.insert(later, i);
  }
  return problem.verify(packing);
}

Fault plc::planner::firstFitBySize(const PackProblem &problem, Packing &packing) {
  if (Fault fault = problem.check())
    return fault;
  const auto &blocks = problem.blocks;
  std::vector<size_t> order = orderByBegin(problem);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(-blocks[a].bytes, blocks[a].begin, a) < std::tuple(-blocks[b].bytes, blocks[b].begin, b);
  });
  return firstFit(problem, order, packing);
}

Fault plc::planner::firstFitByTime(const PackProblem &problem, Packing &packing) {
  if (Fault fault = problem.check())
    return fault;
  return firstFit(problem, orderByBegin(problem), packing);
}

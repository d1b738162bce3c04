//===- Pack.cpp - the problem of addresses, and its bound ----------------===//
#include "plc/Planner/Pack.h"

#include "Total.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

using namespace plc::planner;

namespace {

std::string name(size_t block) { return "block " + std::to_string(block); }

} // namespace

std::vector<size_t> PackProblem::orderBy(int64_t Block::*time) const {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].*time < blocks[b].*time; });
  return order;
}

Fault PackProblem::check() const {
  if (alignment <= 0)
    return "has alignment " + std::to_string(alignment) + " but needs 1 or more";
  if (alignment > mostBytes / std::max<int64_t>(blocks.size(), 1))
    return "has alignment " + std::to_string(alignment) + ", too large for " + std::to_string(blocks.size()) +
           " blocks";
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].bytes <= 0)
      return name(i) + " has " + std::to_string(blocks[i].bytes) + " bytes";
    if (blocks[i].begin >= blocks[i].end)
      return name(i) + " lives from " + std::to_string(blocks[i].begin) + " to " + std::to_string(blocks[i].end);
  }
  Total bytes;
  for (const Block &block : blocks) {
    bytes.add(block.bytes);
    bytes.add(alignment);
  }
  return bytes.check("rounded sizes");
}

// A sweep over time. What lives is disjoint so far, so a block that begins can only overlap its neighbours in bytes.
Fault PackProblem::verify(const Packing &packing) const {
  if (packing.offsets.size() != blocks.size())
    return "places " + std::to_string(packing.offsets.size()) + " of " + std::to_string(blocks.size()) + " blocks";
  int64_t highest = 0;
  std::map<int64_t, size_t> live; // by offset
  std::vector<size_t> begins = orderBy(&Block::begin), ends = orderBy(&Block::end);
  auto dying = ends.begin();
  for (size_t i : begins) {
    for (; blocks[*dying].end <= blocks[i].begin; ++dying)
      live.erase(packing.offsets[*dying]);
    int64_t at = packing.offsets[i];
    if (at < 0 || at % alignment || at > 2 * mostBytes)
      return name(i) + " is at offset " + std::to_string(at);
    auto above = live.lower_bound(at);
    auto overlaps = [&](const std::pair<const int64_t, size_t> &other) {
      return at < other.first + blocks[other.second].bytes && other.first < at + blocks[i].bytes;
    };
    for (auto other : {above, above == live.begin() ? live.end() : std::prev(above)})
      if (other != live.end() && overlaps(*other))
        return name(std::min(i, other->second)) + " and " + name(std::max(i, other->second)) + " overlap";
    live.emplace(at, i);
    highest = std::max(highest, at + roundUp(blocks[i].bytes));
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

//===- Pack.cpp - the problem of offsets, and its bound -------------------===//
#include "plc/Planner/Addresses/Pack.h"

#include "Base/Total.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

using namespace plc::planner;

namespace {

std::string name(size_t block) { return "block " + std::to_string(block); }

} // namespace

// Counting sort if there are few times, as with actions of a rank: sorting dominates the time of a bound.
std::vector<size_t> PackProblem::orderBy(int64_t Block::*time) const {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  if (blocks.empty())
    return order;
  auto isEarlier = [&](const Block &a, const Block &b) { return a.*time < b.*time; };
  auto [first, last] = std::minmax_element(blocks.begin(), blocks.end(), isEarlier);
  int64_t begin = (*first).*time;
  auto times = uint64_t((*last).*time) - uint64_t(begin);
  // Too many times for counting: its table would be larger than the blocks. The factor is not tuned.
  if (times > 8 * blocks.size()) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return isEarlier(blocks[a], blocks[b]); });
    return order;
  }
  std::vector<size_t> next(times + 2, 0); // by time: the index of its next block
  for (const Block &block : blocks)
    ++next[size_t(block.*time - begin) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < blocks.size(); ++i)
    order[next[size_t(blocks[i].*time - begin)]++] = i;
  return order;
}

Status PackProblem::check() const {
  if (alignment <= 0)
    return "has alignment " + std::to_string(alignment) + " but needs 1 or more";
  // Rounding adds at most one alignment for each block; their sum must not overflow.
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

// A sweep over time. Live blocks are disjoint so far, so a new block can only overlap its neighbours by offset.
Status PackProblem::verify(const Packing &packing) const {
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
    // The nearest block above and the nearest below: any other that overlaps would overlap one of these, too.
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

// A sweep over time; at equal times, ends come first.
int64_t PackProblem::bound() const {
  std::vector<size_t> ends = orderBy(&Block::end);
  auto dying = ends.begin();
  int64_t live = 0, most = 0;
  for (size_t i : orderBy(&Block::begin)) {
    for (; blocks[*dying].end <= blocks[i].begin; ++dying)
      live -= roundUp(blocks[*dying].bytes);
    most = std::max(most, live += roundUp(blocks[i].bytes));
  }
  return most;
}

//===- FirstFit.cpp - first fit, in several orders ------------------------===//
#include "OrderSearch.h"
#include "plc/Planner/Addresses/Pack.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

using namespace plc::planner;

namespace {

// The placed blocks, queried for those that live at some time of an interval. A segment tree over blocks in the order
// of `begin`; each node has the last `end` below it.
class PlacedBlocks {
  using Block = PackProblem::Block;

public:
  explicit PlacedBlocks(const PackProblem &problem) : blocks(problem.blocks), order(problem.orderBy(&Block::begin)) {
    leaves = std::bit_ceil(std::max<size_t>(order.size(), 1));
    position.resize(order.size());
    for (size_t place = 0; place < order.size(); ++place)
      position[order[place]] = place;
    clear();
  }

  void clear() { lastEnd.assign(2 * leaves, INT64_MIN); }

  void insert(size_t block) {
    for (size_t node = leaves + position[block]; node; node /= 2)
      lastEnd[node] = std::max(lastEnd[node], blocks[block].end);
  }

  // Calls visit(block) for each block whose lifetime meets the given one. O((1 + visits) log n).
  template <typename Visit>
  void visitMates(const Block &block, Visit visit) const {
    auto later = [&](size_t other, int64_t time) { return blocks[other].begin < time; };
    // Blocks that begin at or after the end are out by position; the tree rules out those that have ended.
    size_t before = std::lower_bound(order.begin(), order.end(), block.end, later) - order.begin();
    descend(1, 0, leaves, before, block.begin, visit);
  }

private:
  template <typename Visit>
  void descend(size_t node, size_t first, size_t count, size_t before, int64_t begin, Visit &visit) const {
    // No block below begins in time, or all have ended.
    if (first >= before || lastEnd[node] <= begin)
      return;
    if (count == 1)
      return visit(order[first]);
    descend(2 * node, first, count / 2, before, begin, visit);
    descend(2 * node + 1, first + count / 2, count / 2, before, begin, visit);
  }

  const std::vector<Block> &blocks;
  std::vector<size_t> order, position;
  size_t leaves = 1;
  std::vector<int64_t> lastEnd;
};

// The lowest offset at which a block fits among those placed before it.
class LowestOffset {
public:
  LowestOffset(const PackProblem &problem, const PlacedBlocks &placed, const std::vector<int64_t> &offsets)
      : problem(problem), placed(placed), offsets(offsets) {}

  int64_t of(size_t block) {
    int64_t at = 0, bytes = problem.roundUp(problem.blocks[block].bytes);
    taken.clear();
    placed.visitMates(problem.blocks[block], [&](size_t other) {
      int64_t from = offsets[other];
      taken.emplace_back(from, from + problem.roundUp(problem.blocks[other].bytes));
    });
    pairs += taken.size();
    std::sort(taken.begin(), taken.end());
    // Sweep over occupied intervals by offset: the first gap that is large enough.
    for (auto [from, to] : taken) {
      if (from >= at + bytes)
        break;
      at = std::max(at, to);
    }
    return at;
  }

  // Pairs of blocks visited so far: the measure of work.
  size_t numPairs() const { return pairs; }

private:
  const PackProblem &problem;
  const PlacedBlocks &placed;
  const std::vector<int64_t> &offsets;
  std::vector<std::pair<int64_t, int64_t>> taken; // bytes from, to
  size_t pairs = 0;
};

// First fit in the given order. Returns how many pairs of blocks it has visited.
size_t firstFit(const PackProblem &problem, PlacedBlocks &placed, const std::vector<size_t> &order, Packing &packing) {
  packing.offsets.assign(problem.blocks.size(), -1);
  packing.bytes = 0;
  placed.clear();
  LowestOffset lowest(problem, placed, packing.offsets);
  // Each block goes as low as the ones before it allow. The order alone decides the result.
  for (size_t i : order) {
    packing.offsets[i] = lowest.of(i);
    packing.bytes = std::max(packing.bytes, packing.offsets[i] + problem.roundUp(problem.blocks[i].bytes));
    placed.insert(i);
  }
  return lowest.numPairs();
}

// Sorts blocks by falling `rank`; ties by begin, then number.
template <typename Rank>
// A stable sort on top of the order by begin makes the ties.
std::vector<size_t> orderBy(const PackProblem &problem, Rank rank) {
  std::vector<size_t> order = problem.orderBy(&PackProblem::Block::begin);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank(problem.blocks[a]) > rank(problem.blocks[b]); });
  return order;
}

int64_t bytesOf(const PackProblem::Block &block) { return block.bytes; }
double areaOf(const PackProblem::Block &block) { return double(block.bytes) * double(block.end - block.begin); }
auto lengthThenBytes(const PackProblem::Block &block) { return std::tuple(block.end - block.begin, block.bytes); }

// Limits of the rounds of `packByOrders`, so that the work is about equal for all problems. Not tuned. Pairs are blocks
// that live at one time.
constexpr size_t mostRounds = 20, mostPlacements = 20000, mostPairs = 1000000;
/// Above so many pairs, blocks are placed by time. An order visits each pair: a million take 0.05 s, and a plan has
/// many ranks. Placing by time visits gaps only; it ends 0.1 % above the bound for 64 ranks with 220 micro-batches in
/// flight.
constexpr size_t mostPairsOfOrder = 1'000'000;

// The number of pairs of blocks that live at one time, by a sweep over time.
size_t countPairs(const PackProblem &problem) {
  std::vector<size_t> ends = problem.orderBy(&PackProblem::Block::end);
  auto dying = ends.begin();
  size_t live = 0, pairs = 0;
  for (size_t i : problem.orderBy(&PackProblem::Block::begin)) {
    for (; problem.blocks[*dying].end <= problem.blocks[i].begin; ++dying)
      --live;
    pairs += live++;
  }
  return pairs;
}

} // namespace

Status plc::planner::firstFitBySize(const PackProblem &problem, Packing &packing) {
  if (Status fault = problem.check())
    return fault;
  PlacedBlocks placed(problem);
  firstFit(problem, placed, orderBy(problem, bytesOf), packing);
  packing.exact = packing.bytes == problem.bound();
  return problem.verify(packing);
}

void plc::planner::fillHoles(const PackProblem &problem, int64_t capacity, std::vector<int64_t> &offsets) {
  PlacedBlocks placed(problem);
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] >= 0)
      placed.insert(i);
  LowestOffset lowest(problem, placed, offsets);
  // Large blocks first: small ones still find holes when they are left over.
  for (size_t i : orderBy(problem, bytesOf)) {
    if (offsets[i] >= 0)
      continue;
    int64_t at = lowest.of(i);
    // What fits nowhere below the capacity stays without an offset, for the caller.
    if (at + problem.roundUp(problem.blocks[i].bytes) > capacity)
      continue;
    offsets[i] = at;
    placed.insert(i);
  }
}

// A sweep over time with a map of the free gaps between live blocks.
Status plc::planner::firstFitByTime(const PackProblem &problem, Packing &packing) {
  if (Status fault = problem.check())
    return fault;
  const std::vector<PackProblem::Block> &blocks = problem.blocks;
  std::vector<size_t> ends = problem.orderBy(&PackProblem::Block::end);
  auto dying = ends.begin();
  // The last gap is unbounded, so a gap is always found.
  std::map<int64_t, int64_t> gaps{{0, INT64_MAX}}; // from, to
  auto release = [&](int64_t from, int64_t to) {
    // A freed block joins the gaps above and below it.
    auto next = gaps.lower_bound(from);
    if (next != gaps.end() && next->first == to) {
      to = next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin() && std::prev(next)->second == from)
      std::prev(next)->second = to;
    else
      gaps.emplace(from, to);
  };
  packing.offsets.assign(blocks.size(), -1);
  packing.bytes = 0;
  for (size_t i : problem.orderBy(&PackProblem::Block::begin)) {
    for (; blocks[*dying].end <= blocks[i].begin; ++dying)
      release(packing.offsets[*dying], packing.offsets[*dying] + problem.roundUp(blocks[*dying].bytes));
    int64_t bytes = problem.roundUp(blocks[i].bytes);
    // The lowest gap that is large enough, not the tightest one.
    auto gap = std::find_if(gaps.begin(), gaps.end(), [&](auto each) { return each.second - each.first >= bytes; });
    auto [from, to] = *gap;
    gaps.erase(gap);
    if (from + bytes < to)
      gaps.emplace(from + bytes, to);
    packing.offsets[i] = from;
    packing.bytes = std::max(packing.bytes, from + bytes);
  }
  packing.exact = packing.bytes == problem.bound();
  return problem.verify(packing);
}

Status plc::planner::packOnce(const PackProblem &problem, Packing &packing) {
  return countPairs(problem) > mostPairsOfOrder ? firstFitByTime(problem, packing) : firstFitBySize(problem, packing);
}

Status plc::planner::packByOrders(const PackProblem &problem, Packing &packing) {
  if (Status fault = problem.check())
    return fault;
  // Large problems get one placement whose time does not grow with pairs.
  if (countPairs(problem) > mostPairsOfOrder)
    return firstFitByTime(problem, packing);
  PlacedBlocks placed(problem);
  int64_t bound = problem.bound();
  size_t pairs = 0; // of one attempt
  Packing found;
  packing.bytes = INT64_MAX;
  auto place = [&](const std::vector<size_t> &order) {
    pairs = firstFit(problem, placed, order, found);
    if (found.bytes < packing.bytes)
      packing = found;
    return found.bytes;
  };
  auto topOf = [&](size_t block) { return found.offsets[block] + problem.roundUp(problem.blocks[block].bytes); };
  auto rounds = [&] {
    return std::min({mostRounds, mostPlacements / std::max<size_t>(problem.blocks.size(), 1),
                     mostPairs / std::max<size_t>(pairs, 1)});
  };
  // Size first, since it is best on most pipelines and the later orders may then be skipped.
  searchOrders({orderBy(problem, bytesOf), orderBy(problem, areaOf), orderBy(problem, lengthThenBytes)}, bound, place,
               topOf, rounds);
  packing.exact = packing.bytes == bound;
  return problem.verify(packing);
}

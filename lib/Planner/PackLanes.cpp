//===- PackLanes.cpp - places for blocks that come again and again --------===//
#include "OrderSearch.h"
#include "plc/Planner/Pack.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace plc::planner;

namespace {

// Blocks of one kind that follow each other at one place: lives do not meet. While one of them lives, so does the lane.
//
//   time       0 1 2 3 4 5 6 7        blocks 0, 1, 2, 3 of a kind: two lanes
//   lane 0     [ 0 ] [ 2 ] [ 3
//   lane 1         [ 1 ]
struct Lane {
  int64_t bytes = 0;  // rounded
  int64_t length = 0; // of all lives together
};

class Lanes {
public:
  Lanes(const PackProblem &problem, const std::vector<size_t> &kindOf) : problem(problem) {
    colour(kindOf);
    findMates();
  }

  std::vector<Lane> lanes;
  std::vector<size_t> laneOf; // each block

  /// Whether two lanes live at a common time.
  bool areMates(size_t a, size_t b) const { return mates[a][b / 64] >> (b % 64) & 1; }

private:
  // Calls end(block) and begin(block) in the order of time; ends come first.
  template <typename End, typename Begin>
  void sweep(End end, Begin begin) const {
    std::vector<size_t> begins = problem.orderBy(&PackProblem::Block::begin),
                        ends = problem.orderBy(&PackProblem::Block::end);
    auto dying = ends.begin();
    for (size_t block : begins) {
      for (; problem.blocks[*dying].end <= problem.blocks[block].begin; ++dying)
        end(*dying);
      begin(block);
    }
  }

  // Intervals in the order of their beginnings, each in the first lane of its kind that is free: no colouring has fewer
  // lanes than live at one time. The last lanes are used least, so that others find room in their bytes.
  void colour(const std::vector<size_t> &kindOf) {
    laneOf.resize(problem.blocks.size());
    std::vector<std::set<size_t>> isFree(1 + *std::max_element(kindOf.begin(), kindOf.end()));
    sweep([&](size_t block) { isFree[kindOf[block]].insert(laneOf[block]); },
          [&](size_t block) {
            std::set<size_t> &mine = isFree[kindOf[block]];
            if (mine.empty()) {
              mine.insert(lanes.size());
              lanes.emplace_back();
            }
            size_t lane = laneOf[block] = *mine.begin();
            mine.erase(mine.begin());
            lanes[lane].bytes = std::max(lanes[lane].bytes, problem.roundUp(problem.blocks[block].bytes));
            lanes[lane].length += problem.blocks[block].end - problem.blocks[block].begin;
          });
  }

  void findMates() {
    std::vector<uint64_t> live((lanes.size() + 63) / 64);
    mates.assign(lanes.size(), live);
    sweep([&](size_t block) { live[laneOf[block] / 64] &= ~(uint64_t(1) << (laneOf[block] % 64)); },
          [&](size_t block) {
            size_t lane = laneOf[block];
            for (size_t word = 0; word < live.size(); ++word)
              mates[lane][word] |= live[word];
            live[lane / 64] |= uint64_t(1) << (lane % 64);
          });
    // So far each lane knows those that were there when it began to live.
    for (size_t a = 0; a < lanes.size(); ++a)
      for (size_t b = 0; b < lanes.size(); ++b)
        if (areMates(a, b))
          mates[b][a / 64] |= uint64_t(1) << (a % 64);
  }

  const PackProblem &problem;
  std::vector<std::vector<uint64_t>> mates; // bits: lanes that live at a common time
};

// Lanes in some order, each as low as it fits among those placed before it.
class FirstFit {
public:
  explicit FirstFit(const Lanes &all) : all(all) {}

  std::vector<int64_t> offsets; // of each lane

  // Returns where the highest one ends.
  int64_t run(const std::vector<size_t> &order) {
    int64_t bytes = 0;
    offsets.assign(all.lanes.size(), -1);
    placed.clear();
    for (size_t lane : order) {
      int64_t own = all.lanes[lane].bytes, at = 0;
      for (size_t other : placed) { // in the order of offsets
        if (offsets[other] >= at + own)
          break;
        if (offsets[other] + all.lanes[other].bytes > at && all.areMates(lane, other))
          at = offsets[other] + all.lanes[other].bytes;
      }
      offsets[lane] = at;
      bytes = std::max(bytes, at + own);
      auto above = [&](int64_t offset, size_t other) { return offset < offsets[other]; };
      placed.insert(std::upper_bound(placed.begin(), placed.end(), at, above), lane);
    }
    return bytes;
  }

private:
  const Lanes &all;
  std::vector<size_t> placed;
};

// The largest `rank` first.
template <typename Rank>
std::vector<size_t> orderBy(const std::vector<Lane> &lanes, Rank rank) {
  std::vector<size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(lanes[a]) > rank(lanes[b]); });
  return order;
}

int64_t bytesOf(const Lane &lane) { return lane.bytes; }
double areaOf(const Lane &lane) { return double(lane.bytes) * double(lane.length); }
auto lengthThenBytes(const Lane &lane) { return std::pair(lane.length, lane.bytes); }

// Rounds, so many that the work is about the same for all problems: a lane looks at all that are placed.
constexpr size_t mostRounds = 20, mostSteps = 1000000;

} // namespace

Fault plc::planner::packByLanes(const PackProblem &problem, const std::vector<size_t> &kindOf, Packing &packing) {
  if (Fault fault = problem.check())
    return fault;
  packing = {};
  if (problem.blocks.empty())
    return problem.verify(packing);
  Lanes all(problem, kindOf);
  FirstFit fit(all);
  int64_t bound = problem.bound();
  std::vector<int64_t> offsets;
  packing.bytes = INT64_MAX;
  auto place = [&](const std::vector<size_t> &order) {
    int64_t bytes = fit.run(order);
    if (bytes < packing.bytes) {
      packing.bytes = bytes;
      offsets = fit.offsets;
    }
    return bytes;
  };
  searchOrders(
      {orderBy(all.lanes, bytesOf), orderBy(all.lanes, areaOf), orderBy(all.lanes, lengthThenBytes)}, bound, place,
      [&](size_t lane) { return fit.offsets[lane] + all.lanes[lane].bytes; },
      [&] { return std::min(mostRounds, mostSteps / (all.lanes.size() * all.lanes.size())); });
  for (size_t lane : all.laneOf)
    packing.offsets.push_back(offsets[lane]);
  // Lanes may be larger than some of their blocks.
  packing.bytes = 0;
  for (size_t block = 0; block < problem.blocks.size(); ++block)
    packing.bytes = std::max(packing.bytes, packing.offsets[block] + problem.roundUp(problem.blocks[block].bytes));
  packing.exact = packing.bytes == bound;
  return problem.verify(packing);
}

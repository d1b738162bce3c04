//===- PackInsertion.cpp - packings lowered by reinsertion ----------------===//
#include "PackInsertion.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

using Order = std::vector<int>;

// Blocks that are removed at a time. No measurement is recorded.
constexpr int mostOut = 3;
// Fractions of the goal: the temperature at first and at last, and the cost of each critical block, so that of equal
// tops the one with fewer critical blocks wins. No measurements are recorded.
constexpr double hot = 0.003, cold = 0.0003, bearing = 0.0001;

/// One run of iterated insertion. The cost is the top, and a little for each critical block.
class Insertion {
public:
  Insertion(const PackSearch &blocks, int64_t goal, int64_t steps)
      : blocks(blocks), goal(goal), mostSteps(steps), pile(blocks.numSections()), below(blocks.numBlocks()),
        above(blocks.numBlocks()) {}

  /// The lowest order met, or the given one.
  Order run(Order order) {
    double cost = weigh(order);
    Order best = order;
    for (int64_t lowest = top; lowest > goal && steps < mostSteps;) {
      Order next = takeOut(order);
      for (int block : out)
        putIn(next, block);
      std::vector<int> bearersBefore = bearers;
      double now = weigh(next);
      if (top < lowest) {
        lowest = top;
        best = next;
      }
      // Geometric cooling over the steps.
      double heat = hot * std::pow(cold / hot, double(steps) / double(mostSteps)) * double(goal);
      if (now <= cost || double(random() >> 11) * 0x1p-53 < std::exp((cost - now) / heat)) {
        order = std::move(next);
        cost = now;
      } else {
        // Back at the order before, whose critical blocks are known.
        bearers = std::move(bearersBefore);
      }
    }
    return best;
  }

  /// The offsets of blocks laid down in an order.
  const std::vector<int64_t> &layDown(const Order &order) {
    weigh(order);
    return below;
  }

private:
  // Lays a block on the pile and returns its bottom.
  int64_t lay(int block) {
    auto first = pile.begin() + blocks.firstOf(block), last = first + blocks.lengthOf(block);
    int64_t bottom = 0;
    for (auto each = first; each != last; ++each)
      bottom = std::max(bottom, *each);
    std::fill(first, last, bottom + blocks.sizeOf(block));
    steps += 1 + blocks.lengthOf(block);
    return bottom;
  }

  void clear() { std::fill(pile.begin(), pile.end(), 0); }

  // Lays all blocks from below, then from above. Sets the heights below and above each block, the top, and the critical
  // blocks: those for which the three add up to the top. Returns the cost.
  double weigh(const Order &order) {
    clear();
    for (int block : order)
      below[block] = lay(block);
    top = *std::max_element(pile.begin(), pile.end());
    clear();
    bearers.clear();
    for (size_t index = order.size(); index-- > 0;) {
      int block = order[index];
      above[block] = lay(block);
      if (below[block] + blocks.sizeOf(block) + above[block] == top)
        bearers.push_back(block);
    }
    return double(top) + bearing * double(goal) * double(bearers.size());
  }

  // Removes up to `mostOut` blocks into `out` and returns the rest. The first one is critical; others are critical or
  // random. In half of the cases the largest is inserted first.
  Order takeOut(Order order) {
    out.clear();
    for (int number = 0; number < mostOut; ++number) {
      // At least one critical block, because only these can lower the top.
      bool bears = number == 0 || random() % 2;
      int block = bears ? bearers[random() % bearers.size()] : int(random() % blocks.numBlocks());
      if (auto at = std::find(order.begin(), order.end(), block); at != order.end()) {
        order.erase(at);
        out.push_back(block);
      }
    }
    auto area = [&](int block) { return blocks.sizeOf(block) * blocks.lengthOf(block); };
    if (random() % 2)
      std::stable_sort(out.begin(), out.end(), [&](int a, int b) { return area(a) > area(b); });
    return order;
  }

  // Inserts a block where the pile through it is lowest, by the heights that can lie below and above it at each
  // position. Ties are drawn.
  void putIn(Order &order, int block) {
    highestAbove.assign(order.size() + 1, 0);
    clear();
    for (size_t index = order.size(); index-- > 0;) {
      int64_t end = lay(order[index]) + blocks.sizeOf(order[index]);
      highestAbove[index] = std::max(highestAbove[index + 1], meets(order[index], block) ? end : 0);
    }
    clear();
    int64_t highestBelow = 0, least = INT64_MAX;
    size_t best = 0, equal = 0;
    for (size_t index = 0; index <= order.size(); ++index) {
      // Only blocks that meet this one change the result.
      bool differs = index == order.size() || meets(order[index], block);
      if (int64_t height = highestBelow + highestAbove[index]; differs && height <= least) {
        equal = height < least ? 1 : equal + 1;
        if (random() % equal == 0)
          best = index;
        least = height;
      }
      // Later positions only raise the pile below the block.
      if (index == order.size() || highestBelow > least)
        break;
      int64_t end = lay(order[index]) + blocks.sizeOf(order[index]);
      if (differs)
        highestBelow = std::max(highestBelow, end);
    }
    order.insert(order.begin() + best, block);
  }

  bool meets(int a, int b) const {
    return blocks.firstOf(a) < blocks.firstOf(b) + blocks.lengthOf(b) &&
           blocks.firstOf(b) < blocks.firstOf(a) + blocks.lengthOf(a);
  }

  const PackSearch &blocks;
  const int64_t goal, mostSteps;
  std::vector<int64_t> pile; // height of each section
  std::vector<int64_t> below, above, highestAbove;
  std::vector<int> bearers, out;
  std::mt19937_64 random{1};
  int64_t top = 0, steps = 0;
};

} // namespace

std::vector<int64_t> plc::planner::lowerByInsertion(const PackSearch &blocks, std::vector<int64_t> offsets,
                                                    int64_t goal, int64_t steps) {
  Order order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  // Laid down by rising offset, the given packing is no higher than it was.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return offsets[a] < offsets[b]; });
  Insertion insertion(blocks, (goal + blocks.unit() - 1) / blocks.unit(), steps);
  offsets = insertion.layDown(insertion.run(order));
  for (int64_t &offset : offsets)
    offset *= blocks.unit();
  return offsets;
}

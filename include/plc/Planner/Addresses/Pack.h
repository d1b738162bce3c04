//===- Pack.h - addresses of blocks that live for a while -------*- C++ -*-===//
#ifndef PLC_PLANNER_ADDRESSES_PACK_H
#define PLC_PLANNER_ADDRESSES_PACK_H

#include "plc/Planner/Base/Fault.h"
#include "plc/Support/Choice.h"

#include <cstdint>
#include <vector>

namespace plc::planner {

struct Packing {
  std::vector<int64_t> offsets; ///< of each block, multiples of the alignment
  int64_t bytes = 0;            ///< end of the highest block
  bool exact = false;           ///< whoever packed has proven that no packing is smaller
};

/// Blocks that live at a common time get disjoint bytes; the highest byte is as low as possible. (Dynamic storage
/// allocation: NP-hard.)
class PackProblem {
public:
  struct Block {
    int64_t bytes = 0;
    int64_t begin = 0, end = 0; ///< lives at times begin <= t < end
  };
  std::vector<Block> blocks;
  int64_t alignment = 64; ///< sizes are rounded up to it

  static constexpr int64_t mostBytes = int64_t(1) << 61; ///< of all blocks together

  int64_t roundUp(int64_t bytes) const { return (bytes + alignment - 1) / alignment * alignment; }
  /// The blocks in the order of their `begin` or their `end`; ties by number.
  std::vector<size_t> orderBy(int64_t Block::*time) const;
  /// Sizes and the alignment are positive and not too large, lives not empty.
  Fault check() const;
  /// Offsets are aligned and not negative, no two blocks overlap in time and bytes, the end is right. O(n log n).
  Fault verify(const Packing &packing) const;
  /// The most bytes, rounded, that live at one time: no packing is smaller. O(n log n).
  int64_t bound() const;
};

/// Largest block first, each at the lowest offset where it fits among those placed; ties by begin, then number.
/// Heuristic without a constant factor; equal to the bound on most pipelines. O((n + k) log n) for k pairs of blocks that
/// live at one time. Never fails on a checked problem. Source: "best-fit decreasing" orders for DSA, e.g. TFLite's
/// greedy-by-size (Pisarchyk & Lee, 2020).
Fault firstFitBySize(const PackProblem &problem, Packing &packing);

/// What an allocator would do that knows no future: blocks in the order of their beginnings, each at the lowest offset
/// where it fits among those that live then; ties by number. O(n (log n + gaps between bytes that are taken)). Never fails on a checked problem. At most
/// about log2(largest / smallest block) / 2 times the bound (Robson, 1974).
Fault firstFitByTime(const PackProblem &problem, Packing &packing);

/// `firstFitBySize`, or `firstFitByTime` where more than a million pairs of blocks live at one time. Never fails on a checked problem.
Fault packOnce(const PackProblem &problem, Packing &packing);

/// The best of first fit by size, by length of life and by both, and of orders made from the best one: blocks that end
/// above the bound are placed earlier in the next round ("squeaky wheel" optimization; Joslin & Clements, 1999). Stops
/// at the bound, or after a number of rounds that falls with the number of blocks. Heuristic, never worse than
/// `firstFitBySize`, but where more than a million pairs of blocks live at one time: there it is `firstFitByTime`. Never fails on
/// a checked problem.
Fault packByOrders(const PackProblem &problem, Packing &packing);

/// Effort of `packMinimal`, for blocks that common times join; any is deterministic.
struct PackEffort {
  /// Nodes of all searches of one height: more at the bound, where a packing is proven best, than between it and the best
  /// one known.
  int64_t nodesAtBound = 200'000, nodes = 20'000;
  int64_t insertionSteps = 2'000'000'000;
  /// A packing of so many bytes is low enough, even if it is above the bound; heights are told apart that differ by more
  /// than this is above it.
  int64_t enoughBytes = 0;
};

/// As `packByOrders`, then by branch and bound where that is above the bound: `exact`, if the search ends within its limit
/// of nodes. Blocks that no common time joins are packed apart. A search looks for a packing below a height, with restarts:
/// orders that an earlier one found no room for come first (Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
/// Hardware-Accelerated Machine Learning", 2023). Most is searched at the bound; then heights are bisected from it to the
/// best one known, and what is above the bound still is lowered by iterated insertion (Ruiz & Stuetzle, 2007). Deterministic. Never
/// fails on a checked problem.
Fault packMinimal(const PackProblem &problem, Packing &packing);
Fault packMinimal(const PackProblem &problem, Packing &packing, const PackEffort &effort);

/// Gives places that end at `capacity` or below to blocks that have none yet (their offset is -1) beside those that have
/// one: the largest first, each at the lowest offset where it fits; for which there is no room, it stays -1. The problem
/// is checked, and the places that are there are right. Heuristic. O((n + k) log n), as `firstFitBySize`.
void fillHoles(const PackProblem &problem, int64_t capacity, std::vector<int64_t> &offsets);

/// Whether what is the same in all runs is computed once and kept.
enum class Prepares { never, whereItFits, always };

/// What a rank's addresses are chosen by: with foresight, as an allocator would, or searched for; and what is kept for all
/// runs.
enum class MemoryStrategy { automatic, pooled, standard, cached, minimalPeak };

struct MemoryStrategyRow {
  const char *name;
  Fault (*pack)(const PackProblem &problem, Packing &packing);
  Prepares prepares = Prepares::never;
  bool isQuick = true; ///< places that miss a limit are worth a longer search
};

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::MemoryStrategy> {
  static constexpr const char *noun = "strategy";
  static constexpr planner::MemoryStrategyRow table[] = {
      {"auto", planner::packByOrders, planner::Prepares::whereItFits},
      {"pooled", planner::packByOrders},
      {"standard", planner::firstFitByTime, planner::Prepares::never, /*isQuick=*/false},
      {"cached", planner::packByOrders, planner::Prepares::always},
      {"minimal-peak", planner::packMinimal, planner::Prepares::never, /*isQuick=*/false},
  };
  static std::span<const planner::MemoryStrategyRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif

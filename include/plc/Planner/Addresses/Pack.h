//===- Pack.h - offsets of blocks with lifetimes ----------------*- C++ -*-===//
#ifndef PLC_PLANNER_ADDRESSES_PACK_H
#define PLC_PLANNER_ADDRESSES_PACK_H

#include "plc/Planner/Base/Status.h"
#include "plc/Support/Choice.h"

#include <cstdint>
#include <vector>

namespace plc::planner {

/// An answer of `PackProblem`.
struct Packing {
  std::vector<int64_t> offsets; ///< by block, multiples of the alignment
  int64_t bytes = 0;            ///< end of the highest block
  bool exact = false;           ///< proven: no packing is smaller
};

/// The problem of offsets. Variables: the offset of each block. Objective: the lowest end of the highest block.
/// Constraints: blocks that live at a common time have disjoint bytes; offsets are aligned. (Dynamic storage
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
  /// The blocks sorted by their `begin` or their `end`; ties by number.
  std::vector<size_t> orderBy(int64_t Block::*time) const;
  /// Says what is wrong with the problem: sizes and alignment are positive and not too large, lifetimes are not empty.
  Status check() const;
  /// Says what is wrong with an answer: offsets are aligned and not negative, no two blocks overlap in time and bytes,
  /// `bytes` is the end. O(n log n).
  Status verify(const Packing &packing) const;
  /// A lower bound: the most live bytes, rounded up to the alignment, at one time. O(n log n).
  int64_t bound() const;
};

/// First fit by size: the largest block first, each at the lowest offset where it fits among those placed; ties by
/// begin, then number. Heuristic without a constant factor; equal to the bound on most pipelines. O((n + k) log n) for
/// k pairs of blocks that live at one time. Never fails on a checked problem. Source: TFLite's greedy-by-size
/// (Pisarchyk & Lee, 2020).
Status firstFitBySize(const PackProblem &problem, Packing &packing);

/// First fit by time, as an allocator without foresight does: blocks in the order of their begins, each at the lowest
/// offset where it fits among those live then; ties by number. At most about log2(largest / smallest block) / 2 times
/// the bound (Robson, 1974). O(n (log n + gaps between live blocks)). Never fails on a checked problem.
Status firstFitByTime(const PackProblem &problem, Packing &packing);

/// `firstFitBySize`, or `firstFitByTime` if more than a million pairs of blocks live at one time. Never fails on a
/// checked problem.
Status packOnce(const PackProblem &problem, Packing &packing);

/// The best of first fit by size, by length of life, by both, and by orders derived from the best one: blocks that end
/// above the bound come earlier in the next round ("squeaky wheel" optimization; Joslin & Clements, 1999). Stops at the
/// bound, or after a number of rounds that falls with the number of blocks. Heuristic, never worse than
/// `firstFitBySize`. If more than a million pairs of blocks live at one time, it is `firstFitByTime` instead. Never
/// fails on a checked problem.
Status packByOrders(const PackProblem &problem, Packing &packing);

/// Limits of `packMinimal`, for each component of blocks. Deterministic at any values.
struct PackEffort {
  /// Nodes of all restarts at one height. More at the bound, where a packing is proven optimal, than between the bound
  /// and the best known packing. Not tuned; with most of the search at the bound, and cheaper nodes, MiniMalloc's I and
  /// K take 54 and 57 ms instead of 1.2 to 3 s.
  int64_t nodesAtBound = 200'000, nodes = 20'000;
  /// Steps of iterated insertion; 4 to 6 s on MiniMalloc's D and J (bench/results.csv).
  int64_t insertionSteps = 2'000'000'000;
  /// A packing of so many bytes is good enough, even above the bound. Heights closer to each other than this is to the
  /// bound count as equal.
  int64_t enoughBytes = 0;
};

/// `packByOrders`, then branch and bound if that is above the bound. `exact` is set if the search ends within its
/// nodes. Components of blocks that no common time connects are packed separately.
///
/// A search looks for a packing below a height, with restarts: orders put first what an earlier restart had no space
/// for (Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning", 2023). The
/// bound is searched first and most; then heights are bisected between it and the best known packing. What is still
/// above the bound is lowered by iterated insertion (Ruiz & Stuetzle, 2007). Deterministic. Never fails on a checked
/// problem.
Status packMinimal(const PackProblem &problem, Packing &packing);
Status packMinimal(const PackProblem &problem, Packing &packing, const PackEffort &effort);

/// Gives offsets to blocks that have none yet (-1), beside blocks that have one, without exceeding `capacity`: the
/// largest first, each at the lowest offset where it fits. A block that does not fit keeps -1. The problem is checked,
/// and the given offsets are valid. Heuristic. O((n + k) log n), as `firstFitBySize`.
void fillHoles(const PackProblem &problem, int64_t capacity, std::vector<int64_t> &offsets);

/// Whether values that are equal in all runs are precomputed and kept.
enum class Prepares { never, whereItFits, always };

/// How offsets of a rank are assigned (with foresight, as an allocator does, or by search), and which values are
/// precomputed.
enum class MemoryStrategy { automatic, pooled, standard, cached, minimalPeak };

/// A row of the table of memory strategies.
struct MemoryStrategyRow {
  const char *name;
  Status (*pack)(const PackProblem &problem, Packing &packing);
  Prepares prepares = Prepares::never;
  bool isQuick = true; ///< offsets above a limit justify a longer search
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
};

#endif

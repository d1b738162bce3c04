//===- Pack.h - addresses of blocks that live for a while -------*- C++ -*-===//
#ifndef PLC_PLANNER_PACK_H
#define PLC_PLANNER_PACK_H

#include "plc/Planner/Fault.h"
#include "plc/Support/Choice.h"

#include <cstdint>
#include <vector>

namespace plc::planner {

struct Packing {
  std::vector<int64_t> offsets; ///< of each block, multiples of the alignment
  int64_t bytes = 0;            ///< end of the highest block
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

  int64_t roundUp(int64_t bytes) const { return (bytes + alignment - 1) / alignment * alignment; }
  /// Sizes and the alignment are positive, lives not empty.
  Fault check() const;
  /// Offsets are aligned and not negative, no two blocks overlap in time and bytes, the end is right.
  Fault verify(const Packing &packing) const;
  /// The most bytes, rounded, that live at one time: no packing is smaller. O(n log n).
  int64_t bound() const;
};

/// Largest block first, each at the lowest offset where it fits among those placed; ties by begin, then number.
/// Heuristic without a constant factor; equal to the bound on most pipelines. O(n^2 log n). Never fails on a checked
/// problem. Source: "best-fit decreasing" orders for DSA, e.g. TFLite's greedy-by-size (Pisarchyk & Lee, 2020).
Fault firstFitBySize(const PackProblem &problem, Packing &packing);

/// What an allocator would do that knows no future: blocks in the order of their beginnings, each at the lowest offset
/// where it fits among those that live then; ties by number. O(n^2). Never fails on a checked problem. At most about
/// log2(largest / smallest block) / 2 times the bound (Robson, 1974).
Fault firstFitByTime(const PackProblem &problem, Packing &packing);

/// What a rank's addresses are chosen by: with foresight, or as an allocator would.
enum class MemoryStrategy { pooled, standard };

struct MemoryStrategyRow {
  const char *name;
  Fault (*pack)(const PackProblem &problem, Packing &packing);
};

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::MemoryStrategy> {
  static constexpr const char *noun = "strategy";
  static constexpr planner::MemoryStrategyRow table[] = {
      {"pooled", planner::firstFitBySize},
      {"standard", planner::firstFitByTime},
  };
  static constexpr const char *later[] = {"cached", "minimal-peak"};
  static std::span<const planner::MemoryStrategyRow> rows() { return table; }
  static std::span<const char *const> planned() { return later; }
};

#endif

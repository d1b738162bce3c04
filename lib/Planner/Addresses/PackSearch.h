//===- PackSearch.h - is there a packing below a height? --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_PACKSEARCH_H
#define PLC_LIB_PLANNER_ADDRESSES_PACKSEARCH_H

#include "plc/Planner/Addresses/Pack.h"

namespace plc::planner {

/// Some blocks of a problem and a height: a packing that ends there or below, or the proof that there is none, by branch
/// and bound over canonical packings, in which each block lies on another one or at 0 (Moffitt, "MiniMalloc", 2023).
///
/// Blocks are placed in the order of their offsets, equal ones in a given order, so that no packing is met twice. Time is
/// seen as *sections*, each with a largest set of blocks that live at once; the section's *room* is what the height leaves
/// above the blocks that are still to be placed in it.
class PackSearch {
public:
  enum class End { found, none, limit };

  /// Sizes are rounded, and then counted in their greatest common divisor.
  PackSearch(const PackProblem &problem, const std::vector<size_t> &blocks);

  /// What ends a run: so many nodes, or so many that have led nowhere.
  struct Limit {
    int64_t nodes = INT64_MAX, deadEnds = INT64_MAX;
  };
  /// Searches within the limit, trying earlier blocks of `order` (numbers among the given blocks) first.
  End run(int64_t height, const std::vector<int> &order, Limit most);
  /// Of each block, what `run` found; bytes.
  std::vector<int64_t> offsets() const;

  int64_t numNodes() const { return nodes; }
  int numBlocks() const { return size.size(); }
  /// The bytes that sizes and offsets are multiples of.
  int64_t unit() const { return divisor; }
  int numSections() const { return members.size(); }
  /// What an order may go by: the size of a block in units; the sections that it lives in; the most that lives in one of
  /// them; how often one of them had no room, recently.
  int64_t sizeOf(int block) const { return size[block]; }
  int64_t firstOf(int block) const { return first[block]; }
  int64_t lengthOf(int block) const { return last[block] - first[block]; }
  int64_t crowdOf(int block) const;
  double troubleOf(int block) const;
  /// Older troubles count less.
  void forget();

private:
  struct Raise {
    int block;
    int64_t from;
  };
  /// A run of sections that is packed on its own, and where in `pool` the blocks are that live there.
  struct Part {
    int begin, end;
    size_t from, to;
  };
  /// The order in which blocks are placed: by offset, then by rank.
  struct Key {
    int64_t level = 0;
    int rank = 0;
    bool operator<(const Key &other) const { return level != other.level ? level < other.level : rank < other.rank; }
  };

  void findSections(const PackProblem &problem, const std::vector<size_t> &blocks);
  End searchApart(const Part &part, Key least);
  End search(const Part &part, Key least);
  End tryEach(const Part &part);
  bool place(int block, const Part &part);
  void unplace(int block, Key key, size_t raises);
  bool hasRoom(int section, Key least);
  Key keyOf(int block) const { return {low[block], rank[block]}; }

  static constexpr int64_t placed = INT64_MAX / 2;

  int64_t divisor = 1, height = 0, nodes = 0, deadEnds = 0;
  Limit limit;
  // Of each block.
  std::vector<int64_t> size, smallestMate;
  std::vector<int> first, last; ///< sections first .. last-1
  std::vector<std::vector<int>> mates;
  std::vector<int> rank;
  std::vector<int64_t> low; ///< the lowest offset above all mates that are placed; `placed` if it is itself
  std::vector<int64_t> found;
  // Of each section.
  std::vector<std::vector<int>> members;
  std::vector<int64_t> total, room; ///< of all members; the highest offset that the next one may have
  std::vector<int> crossing;        ///< members not placed that live in the next one, too
  std::vector<int> witness;         ///< a member that had room
  std::vector<double> trouble;
  std::vector<Raise> trail;
  std::vector<int> pool; ///< a stack of the blocks that each node has to place, and of those that it can place next
  size_t top = 0;        ///< the end of the stack
  int suspect = 0;       ///< the section that had no room last
};

} // namespace plc::planner

#endif

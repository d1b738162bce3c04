//===- PackSearch.h - is there a packing below a height? --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_PACKSEARCH_H
#define PLC_LIB_PLANNER_PACKSEARCH_H

#include "plc/Planner/Pack.h"

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

  /// Searches with at most so many nodes, trying earlier blocks of `order` (numbers among the given blocks) first.
  End run(int64_t height, const std::vector<int> &order, int64_t mostNodes);
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

  void findSections(const PackProblem &problem, const std::vector<size_t> &blocks);
  End search(int begin, int end, const std::vector<int> &among, int64_t level, int rankAtLevel);
  End searchApart(int begin, int end, const std::vector<int> &among, int64_t level, int rankAtLevel);
  bool place(int block, int begin, int end);
  void unplace(int block, size_t raises);
  bool hasRoom(int section, int64_t level, int rankAtLevel);
  bool precedes(int a, int b) const { return low[a] != low[b] ? low[a] < low[b] : rank[a] < rank[b]; }

  int64_t divisor = 1, height = 0, nodes = 0, limit = 0;
  // Of each block.
  std::vector<int64_t> size, smallestMate;
  std::vector<int> first, last; ///< sections first .. last-1
  std::vector<std::vector<int>> mates;
  std::vector<int> rank;
  std::vector<int64_t> low; ///< the lowest offset above all mates that are placed
  std::vector<int64_t> at;  ///< -1: not placed
  std::vector<int64_t> found;
  // Of each section.
  std::vector<std::vector<int>> members;
  std::vector<int64_t> total, left; ///< of all members, and of those that are not placed
  std::vector<int> crossing;        ///< members not placed that live in the next one, too
  std::vector<int> witness;         ///< a member that had room
  std::vector<double> trouble;
  std::vector<Raise> trail;
  int suspect = 0; ///< the section that had no room last
};

} // namespace plc::planner

#endif

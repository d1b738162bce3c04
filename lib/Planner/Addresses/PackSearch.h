//===- PackSearch.h - branch and bound below a height -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_PACKSEARCH_H
#define PLC_LIB_PLANNER_ADDRESSES_PACKSEARCH_H

#include "plc/Planner/Addresses/Pack.h"

namespace plc::planner {

/// Finds a packing of some blocks that ends at a height or below, or proves that there is none, by branch and bound
/// over canonical packings: each block lies on another one or at 0 (Moffitt, "MiniMalloc", 2023).
///
/// Blocks are placed by rising offset, equal ones in a given order, so that no packing is visited twice. Time is
/// divided into *sections*, each with a maximal set of blocks that live at once. The *room* of a section is the height
/// less the sizes of the blocks that are still to be placed in it.
class PackSearch {
public:
  /// A packing was found, there is none, or a limit ended the run.
  enum class End { found, none, limit };

  /// Sizes are rounded up to the alignment, then counted in units of their greatest common divisor.
  PackSearch(const PackProblem &problem, const std::vector<size_t> &blocks);

  /// Limits of a run: nodes, and nodes that led nowhere.
  struct Limit {
    int64_t nodes = INT64_MAX, deadEnds = INT64_MAX;
  };
  /// Searches within the limit. `order` numbers the given blocks; earlier ones are tried first.
  End run(int64_t height, const std::vector<int> &order, Limit most);
  /// The offsets that `run` found, by block, in bytes.
  std::vector<int64_t> offsets() const;

  int64_t numNodes() const { return nodes; }
  int numBlocks() const { return size.size(); }
  /// The bytes that sizes and offsets are multiples of.
  int64_t unit() const { return divisor; }
  int numSections() const { return members.size(); }
  /// Inputs of an order, by block: its size in units; its first section and their number; the most that lives in one of
  /// them; how often they had no room, with older failures weighing less.
  int64_t sizeOf(int block) const { return size[block]; }
  int64_t firstOf(int block) const { return first[block]; }
  int64_t lengthOf(int block) const { return last[block] - first[block]; }
  int64_t crowdOf(int block) const;
  double troubleOf(int block) const;
  /// Lets older failures weigh less.
  void forget();

private:
  /// An entry of the undo trail: a block, and its lowest offset before.
  struct Raise {
    int block;
    int64_t from;
  };
  /// A subproblem: a run of sections, and the range of `pool` that has their blocks.
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
  std::vector<int64_t> low; ///< lowest offset above all placed mates; `placed` if placed itself
  std::vector<int64_t> found;
  // Of each section.
  std::vector<std::vector<int>> members;
  std::vector<int64_t> total, room; ///< sizes of all members; the highest offset that the next block may have
  std::vector<int> crossing;        ///< unplaced members that live in the next section, too
  std::vector<int> witness;         ///< a member that had room: tried first
  std::vector<double> trouble;
  std::vector<Raise> trail;
  std::vector<int> pool; ///< a stack: the blocks of each node, and its candidates
  size_t top = 0;        ///< the top of the stack
  int suspect = 0;       ///< the section that failed last
};

} // namespace plc::planner

#endif

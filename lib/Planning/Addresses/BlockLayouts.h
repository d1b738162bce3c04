//===- BlockLayouts.h - offsets of values in blocks -------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_BLOCKLAYOUTS_H
#define PLC_LIB_PLANNING_ADDRESSES_BLOCKLAYOUTS_H

#include "RankOffsets.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace plc::plan {

/// Lays out the values of a rank in blocks, once for all micro-batches. Values of a group all live between its tasks,
/// so they are stacked; temporaries share bytes call by call.
class BlockLayouts {
public:
  using Life = Lifetimes::Life;
  using Body = Lifetimes::Body;
  using Group = Lifetimes::Group;
  /// Values of a group, or those temporaries of a unit that fit into no other block.
  struct Block {
    bool isDropped = true;    ///< a drop frees it: another task could still read its bytes
    bool isOfAllRuns = false; ///< one address for all micro-batches
    int64_t extent = 0;       ///< end of the last value, in the largest micro-batch
    struct Member {
      mlir::Value value;
      size_t group;
    };
    llvm::SmallVector<Member> members{}; ///< values of groups that are not temporaries
    struct Item {
      int64_t at, ends[2]; ///< end in whole and in short micro-batches; `at` if the value lives in none of them
      size_t source;       ///< index of its lifetimes, for `livesOf`
    };
    std::vector<Item> items{};
  };
  struct BlockOffset {
    int64_t block, offset;
  };

  /// `spare` is that of `layOutBlocks`. A block of a group has at most `mostBytes`, or one value. With `lodges`, a
  /// group that begins in the unit in which another one ends may lie between the values of that one.
  BlockLayouts(const RankValues &rank, int64_t spare, int64_t mostBytes, bool lodges);
  /// Computes all offsets; temporaries are packed by the strategy.
  planner::Status layOut(const planner::MemoryStrategyRow &strategy);

  bool hasGuests() const { return !guests.empty(); }

  const std::vector<Block> &getBlocks() const { return blocks; }
  /// The lifetimes of an item, by micro-batch.
  const std::vector<Life> &livesOf(size_t source) const { return sources[source].lives; }
  /// The block and offset of a value that the body touches.
  BlockOffset offsetOf(const Body &body, mlir::Value value) const;
  /// The block and offset of a value that messages carry.
  BlockOffset offsetOf(mlir::Value value) const { return shared.lookup(value); }
  size_t numberOf(const Body &body) const { return &body - lifetimes.getBodies().data(); }

private:
  /// Bodies that always run directly one after the other, for one micro-batch: B and W under most schedules, all three
  /// on a single rank. Values that only a unit touches share bytes call by call.
  struct Unit {
    std::vector<int64_t> bodies;
    std::vector<int64_t> starts; ///< by body, and the end: its first call, counted in the unit
    std::vector<Life> lives;     ///< by micro-batch
    struct Touch {
      int64_t first, last;
    };
    llvm::MapVector<mlir::Value, Touch> touches; ///< first and last call of each value

    int64_t calls() const { return starts.back(); }
  };
  /// Two groups that meet in a unit. The host ends there (what F left for B), the guest begins there (what B leaves for
  /// a W that does not follow it). Call by call, the guest may take the bytes that the host frees.
  struct Guest {
    size_t group, host, unit;
  };

  /// Lifetimes that items share: those of a group, or those of a unit for its temporaries.
  struct Source {
    std::vector<Life> lives;
    int64_t lastRun[2] = {-1, -1}; ///< the last whole and the last short micro-batch in which it lives
  };

  void findUnits();
  void complete(Unit &unit, const std::vector<std::vector<int64_t>> &actions);
  void sortGroups();
  void addSource(std::vector<Life> lives);
  void put(int64_t block, mlir::Value value, int64_t at, size_t source);
  std::pair<bool, bool> endsIn(const Unit &unit, const Group &group) const;
  std::vector<Life> longLives(size_t group) const;
  bool touches(const Unit &unit, int64_t group) const;
  void stack(size_t group, llvm::ArrayRef<mlir::Value> values);
  void putShared(int64_t block, size_t group, mlir::Value value, int64_t at);
  std::vector<Guest> findGuests() const;
  void lodge(const Guest &each);
  planner::Status packTemporaries(size_t number, const planner::MemoryStrategyRow &strategy);
  int64_t blockOfAllRuns();
  planner::PackProblem::Block lifeIn(const Unit &unit, mlir::Value value) const;
  void fill(size_t number, int64_t block, llvm::SmallVector<mlir::Value> &left);

  const RankValues &rank;
  const Lifetimes &lifetimes;
  const int64_t spare, mostBytes, largest;
  int64_t ofAllRuns = -1; // the block that all micro-batches share; -1: none
  std::vector<Guest> guests;
  std::vector<Unit> units;
  std::vector<size_t> unitOf;           // by body
  llvm::DenseSet<mlir::Value> repeated; // values that clones make again
  std::vector<bool> isTemporary;        // by group
  std::vector<Source> sources;          // by group, then by unit
  std::vector<Block> blocks;
  llvm::DenseMap<mlir::Value, BlockOffset> shared;                   // values in blocks of groups
  std::vector<llvm::DenseMap<mlir::Value, BlockOffset>> temporaries; // by unit
};

} // namespace plc::plan

#endif

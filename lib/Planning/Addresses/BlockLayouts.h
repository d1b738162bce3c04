//===- BlockLayouts.h - where values lie in blocks --------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_BLOCKLAYOUTS_H
#define PLC_LIB_PLANNING_ADDRESSES_BLOCKLAYOUTS_H

#include "RankOffsets.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace plc::plan {

/// The layout of each block of a rank.
class BlockLayouts {
public:
  using Life = Lifetimes::Life;
  using Body = Lifetimes::Body;
  using Group = Lifetimes::Group;
  /// Values of a group, or what is left of a unit's temporaries, in one layout for all micro-batches.
  struct Block {
    bool isDropped = true;
    bool isOfAllRuns = false; ///< all micro-batches share its bytes
    int64_t extent = 0;       ///< where the last value ends
    struct Member {
      mlir::Value value;
      size_t group;
    };
    llvm::SmallVector<Member> members{}; ///< of groups, that are no temporaries
    struct Item {
      int64_t at, ends[2]; ///< in whole and in short micro-batches; `at`, if the value lives in none of them
      size_t source;       ///< of its lives
    };
    std::vector<Item> items{};
  };
  struct Place {
    int64_t block, offset;
  };

  /// `spare` is as `placeBlocks` says. A block of a group is of at most so many bytes, or of one value. With `lodges` a
  /// group that begins where another one ends lies between the values of that one where it can.
  BlockLayouts(const RankValues &rank, int64_t spare, int64_t mostBytes, bool lodges);
  planner::Fault layOut(const planner::MemoryStrategyRow &strategy);

  bool hasGuests() const { return !guests.empty(); }

  const std::vector<Block> &getBlocks() const { return blocks; }
  /// The lives of items, by micro-batch.
  const std::vector<Life> &livesOf(size_t source) const { return sources[source].lives; }
  /// Of a value that the body touches and that has no place for the whole step.
  Place placeOf(const Body &body, mlir::Value value) const;
  /// Of a value that messages carry.
  Place placeOf(mlir::Value value) const { return shared.lookup(value); }
  size_t numberOf(const Body &body) const { return &body - lifetimes.getBodies().data(); }

private:
  /// Bodies that always run one directly after the other, for one micro-batch: B and W under most schedules, all three on one
  /// rank. Values that only they touch share bytes call by call.
  struct Unit {
    std::vector<int64_t> bodies;
    std::vector<int64_t> starts; ///< of each body, and the end: its first call, counted in the unit
    std::vector<Life> lives;     ///< by micro-batch
    struct Touch {
      int64_t first, last;
    };
    llvm::MapVector<mlir::Value, Touch> touches; ///< in calls of the unit

    int64_t calls() const { return starts.back(); }
  };
  /// A group that begins in a unit (what B leaves for a W that does not follow it), and another one that ends in it (what F
  /// has left for B): call by call the one may take the bytes that the other frees.
  struct Guest {
    size_t group, host, unit;
  };

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
  planner::Fault packTemporaries(size_t number, const planner::MemoryStrategyRow &strategy);
  int64_t blockOfAllRuns();
  planner::PackProblem::Block lifeIn(const Unit &unit, mlir::Value value) const;
  void fill(size_t number, int64_t block, llvm::SmallVector<mlir::Value> &left);

  const RankValues &rank;
  const Lifetimes &lifetimes;
  const int64_t spare, mostBytes, largest;
  int64_t ofAllRuns = -1; // the block that all micro-batches share; -1: there is none
  std::vector<Guest> guests;
  std::vector<Unit> units;
  std::vector<size_t> unitOf; // each body
  llvm::DenseSet<mlir::Value> repeated;
  std::vector<bool> isTemporary; // each group
  std::vector<Source> sources;   // each group, then each unit
  std::vector<Block> blocks;
  llvm::DenseMap<mlir::Value, Place> shared;                   // what is in blocks of groups
  std::vector<llvm::DenseMap<mlir::Value, Place>> temporaries; // by unit
};

} // namespace plc::plan

#endif

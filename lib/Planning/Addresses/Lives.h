//===- Lives.h - lifetimes of single values ---------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_LIVES_H
#define PLC_LIB_PLANNING_ADDRESSES_LIVES_H

#include "PersistentBuffers.h"

#include "plc/Analysis/TaskSlots.h"

#include "llvm/ADT/MapVector.h"

namespace plc::plan {

/// The timeline of a rank: one time for each action, and for each call of a run. On it, the lifetime of every value of
/// every micro-batch without a persistent buffer, from the first time that mentions it to the last. Drops take no time
/// and end no life, since a value is dead after its last use. So lifetimes stay when drops are added or removed.
class Lives {
public:
  using Instance = std::pair<mlir::Value, int64_t>; ///< a resolved value and its micro-batch
  struct Moment {
    mlir::Operation *action;
    CallOp call; ///< of a run; null for other actions
  };

  Lives(RankOp rank, TaskSlots &slots, const PersistentBuffers &buffers);

  /// Live at times begin <= t < end, sorted by begin.
  llvm::MapVector<Instance, std::pair<int64_t, int64_t>> lives;
  /// The action and call of each time.
  std::vector<Moment> moments;
  /// The last time of each action.
  llvm::DenseMap<mlir::Operation *, int64_t> times;

private:
  void tick(mlir::Operation *action, CallOp call);
  void touch(mlir::Value value, int64_t mb);
  void walkRun(RunOp run);

  TaskSlots &slots;
  const PersistentBuffers &buffers;
};

} // namespace plc::plan

#endif

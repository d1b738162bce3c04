//===- Lives.h - when the values of a rank live -----------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_LIVES_H
#define PLC_LIB_PLANNING_ADDRESSES_LIVES_H

#include "Statics.h"

#include "plc/Analysis/TaskSlots.h"

#include "llvm/ADT/MapVector.h"

namespace plc::plan {

/// The timeline of a rank: one time for each action, and for each call of a run. A value of a micro-batch that has no
/// static place lives from the first time that mentions it to the last. Drops change no life, a value is dead at its last
/// use; nor do they take time, so that lives stay the same when some are removed.
class Lives {
public:
  using Instance = std::pair<mlir::Value, int64_t>; ///< resolved, and its micro-batch
  struct Moment {
    mlir::Operation *action;
    CallOp call; ///< of a run; null for other actions
  };

  Lives(RankOp rank, TaskSlots &slots, const Statics &statics);

  /// At times begin <= t < end, in the order of their beginnings.
  llvm::MapVector<Instance, std::pair<int64_t, int64_t>> lives;
  /// What happens at each time.
  std::vector<Moment> moments;
  /// The last time of each action.
  llvm::DenseMap<mlir::Operation *, int64_t> times;

private:
  void tick(mlir::Operation *action, CallOp call);
  void touch(mlir::Value value, int64_t mb);
  void walkRun(RunOp run);

  TaskSlots &slots;
  const Statics &statics;
};

} // namespace plc::plan

#endif

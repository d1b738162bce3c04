//===- ShardStages.h - which rank of a group computes what ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_SHARDSTAGES_H
#define PLC_LIB_PLANNING_PARTITION_SHARDSTAGES_H

#include "Base/FlatProgram.h"

namespace plc::plan {

/// The stages that groups of ranks share, after each stage of the pipeline was divided.
struct SharedStages {
  std::vector<int64_t> stageOf;  ///< of each unit
  std::vector<int64_t> rankOf;   ///< of each stage
  std::vector<int64_t> pipeline; ///< by stage: the stage of the pipeline that it came from
};

/// Divides each stage of a pipeline among `shards` ranks. Rank g * shards + p computes everything that belongs to the
/// p-th share of the shards of parameters. Whole values may be computed by any rank of the group, so they even out the
/// load. A stage becomes as many stages as messages between its ranks require: before, between and behind them.
///
/// Units become kernel calls. `stageOf` holds the stage of the pipeline of each former unit, `groupOf` the group of
/// each stage of the pipeline. Calls of B and W join units of their own share. Fails with a diagnostic if a rank has no
/// work.
mlir::FailureOr<SharedStages> shareStages(ein::ModelOp model, FlatProgram &flat, llvm::ArrayRef<int64_t> stageOf,
                                          llvm::ArrayRef<int64_t> groupOf, int64_t shards);

/// Whether some parameter of a program is in shards.
bool hasParts(const FlatProgram &flat);

} // namespace plc::plan

#endif

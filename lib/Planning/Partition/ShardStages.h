//===- ShardStages.h - which rank of a group computes what ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_SHARDSTAGES_H
#define PLC_LIB_PLANNING_PARTITION_SHARDSTAGES_H

#include "Base/FlatProgram.h"

namespace plc::plan {

/// Stages that groups of ranks share.
struct SharedStages {
  std::vector<int64_t> stageOf;  ///< of each unit
  std::vector<int64_t> rankOf;   ///< of each stage
  std::vector<int64_t> pipeline; ///< the stage of the pipeline that each is a part of
};

/// Divides each stage of a pipeline among `shards` ranks: rank g * shards + p has what is computed from the p-th share of the
/// parts of parameters; what is whole is shared out, so that all of group g have equally much to do. A stage becomes several,
/// as many as messages between the ranks need: what is computed before them, between, and behind. Units become kernel calls;
/// `stageOf` has the stage of the pipeline of each unit before, `groupOf` the group of each such stage. Calls of B and W go
/// with units of their own share. Fails with a diagnostic if a rank would have nothing to do.
mlir::FailureOr<SharedStages> shareStages(ein::ModelOp model, FlatProgram &flat, llvm::ArrayRef<int64_t> stageOf,
                                          llvm::ArrayRef<int64_t> groupOf, int64_t shards);

/// Whether a program has parts of parameters.
bool hasParts(const FlatProgram &flat);

} // namespace plc::plan

#endif

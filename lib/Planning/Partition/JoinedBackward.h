//===- JoinedBackward.h - where W is joined to B ----------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_JOINEDBACKWARD_H
#define PLC_LIB_PLANNING_PARTITION_JOINEDBACKWARD_H

#include "Base/FlatProgram.h"

#include <vector>

namespace plc::plan {

/// Stages with a B for which no other rank waits: the first of a pipeline, and all if there is one rank. There W apart from
/// B would hold what it reads through all of B, and nobody would gain. Gradients go from stages to earlier ones; a rank waits
/// also for what its own stages hand on to another.
std::vector<bool> findUnawaited(const FlatProgram &flat, llvm::ArrayRef<int32_t> stageOfUnit,
                                llvm::ArrayRef<int32_t> rankOf);

} // namespace plc::plan

#endif

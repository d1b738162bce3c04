//===- UnawaitedStages.h - whose backward pass nobody waits for -*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_UNAWAITEDSTAGES_H
#define PLC_LIB_PLANNING_UNAWAITEDSTAGES_H

#include "FlatProgram.h"

namespace plc::plan {

/// Stages with a B for which no other rank waits: the first of a pipeline, and all if there is one rank. There W apart from
/// B would hold what it reads through all of B, and nobody would gain. Gradients go from stages to earlier ones; a rank waits
/// also for what its own stages hand on to another.
std::vector<bool> findUnawaited(const FlatProgram &flat, llvm::ArrayRef<int64_t> stageOfUnit,
                                llvm::ArrayRef<int64_t> rankOf);

} // namespace plc::plan

#endif

//===- CloneCalls.h - compute values again in B and W -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CLONECALLS_H
#define PLC_LIB_PLANNING_CLONECALLS_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Remat.h"

namespace plc::plan {

/// Computes again, in a stage's backward tasks, what the segments of its F's calls (-1: none) do not keep. A call is
/// cloned once, just before its first use; one that W alone needs goes to B if it reads what B computes again. Names what
/// is kept by `plan.checkpoint`s. Numbers clones from `nextId` on.
void cloneCalls(StageOp stage, llvm::ArrayRef<int64_t> segments, int64_t &nextId);

} // namespace plc::plan

#endif

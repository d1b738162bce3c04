//===- CloneCalls.h - compute values again in B and W -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CLONECALLS_H
#define PLC_LIB_PLANNING_CLONECALLS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Computes again, in a stage's backward tasks, what the calls of its F discard. Where calls say what runs `again` before
/// them, exactly that does, and whoever reads a value reads what the last run before has made. Else a call is cloned
/// once, just before its first use; one that W alone needs goes to B if it reads what B computes again. Names what is kept
/// by `plan.checkpoint`s. Numbers clones from `nextId` on.
void cloneCalls(StageOp stage, int64_t &nextId);

} // namespace plc::plan

#endif

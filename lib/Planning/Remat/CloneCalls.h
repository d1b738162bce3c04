//===- CloneCalls.h - compute values again in B and W -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_CLONECALLS_H
#define PLC_LIB_PLANNING_REMAT_CLONECALLS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Computes again, in a stage's backward tasks, what calls say runs `again` before them; whoever reads a value that F discards
/// reads what the last run before has made. Names what is kept
/// by `plan.checkpoint`s. Numbers clones from `nextId` on.
void cloneCalls(StageOp stage, int64_t &nextId);

} // namespace plc::plan

#endif

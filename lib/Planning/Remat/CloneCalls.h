//===- CloneCalls.h - compute values again in B and W -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_CLONECALLS_H
#define PLC_LIB_PLANNING_REMAT_CLONECALLS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Clones, in a stage's backward tasks, the calls of F that `again` lists before a call. A reader of a discarded value
/// then reads what the last clone before it made. Adds a `plan.checkpoint` for each value that stays live from F to a
/// backward task. Numbers clones from `nextId` on, and advances it.
void cloneCalls(StageOp stage, int64_t &nextId);

} // namespace plc::plan

#endif

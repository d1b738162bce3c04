//===- CutBound.h - how fast a cut can be at best ---------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_CUTBOUND_H
#define PLC_LIB_PLANNER_CUTBOUND_H

#include "plc/Planner/Partition.h"

namespace plc::planner {

/// The part of a problem's bound that is known at once: max(total / sum of speeds, largest part at the highest speed).
int64_t quickBound(const PartitionProblem &problem);

} // namespace plc::planner

#endif

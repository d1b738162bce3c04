//===- PartitionRemarks.h - why the cuts lie where they do ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITIONREMARKS_H
#define PLC_LIB_PLANNING_PARTITIONREMARKS_H

#include "FlatProgram.h"

#include "plc/Planner/Partition.h"
#include "plc/Planner/Remat.h"

namespace plc::plan {

/// Says why each cut lies where it does: what the slowest rank would take if it lay a unit earlier or later.
void remarkCuts(ein::ModelOp model, const FlatProgram &flat, const planner::PartitionProblem &problem,
                const planner::Partition &answer);

/// Says what each forward call keeps for the backward pass, or that it is computed again, at which cost. Nothing if
/// nothing is computed again.
void remarkRecomputation(ein::ModelOp model, const FlatProgram &flat, const planner::RematProblem &problem,
                         const planner::Remat &answer);

} // namespace plc::plan

#endif

//===- ExplainCuts.h - which cuts were nearly taken -------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_EXPLAINCUTS_H
#define PLC_LIB_PLANNING_EXPLAINCUTS_H

#include "FlatProgram.h"

#include "plc/Planner/Partition.h"

namespace plc::plan {

/// The stages of a cut, each on `shards` ranks, and for each the next-best cut that gives it one unit more or less.
void explainCuts(ein::ModelOp model, const FlatProgram &flat, const planner::PartitionProblem &problem,
                 const planner::Partition &answer, int64_t shards, llvm::raw_ostream &out);

} // namespace plc::plan

#endif

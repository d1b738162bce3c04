//===- CutSavings.h - what recomputation saves in each part -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CUTSAVINGS_H
#define PLC_LIB_PLANNING_CUTSAVINGS_H

#include "FlatProgram.h"

#include "plc/Planner/Partition.h"

namespace plc::plan {

/// Tells the parts of a cut what they save if values of F are computed again, layer call by layer call; those of
/// `keepKinds` are not. Values that are outputs of the model take no bytes of a micro-batch.
void addSavings(const FlatProgram &flat, llvm::ArrayRef<std::string> keepKinds, planner::PartitionProblem &problem);

} // namespace plc::plan

#endif

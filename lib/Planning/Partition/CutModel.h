//===- CutModel.h - the cuts of a program, as times ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_CUTMODEL_H
#define PLC_LIB_PLANNING_PARTITION_CUTMODEL_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Cuts/Partition.h"

namespace plc::plan {

/// A program's cuts, from its calls and their kernels, as it stands. A part is what has one path in a stage, or a call where the
/// program `cuts_kernels`; no cut divides it. A call of F that discards results counts twice; its clone, if there is one already,
/// does not count.
struct CutModel {
  CutModel(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs);

  planner::PartitionProblem problem;
  std::vector<int64_t> stageOf;     ///< of each part
  std::vector<mlir::Location> locs; ///< of each part: that of its first call
};

/// Says why each cut lies where it does: what the slowest rank would take if it lay a part earlier or later.
void remarkCuts(ProgramOp program, const CutModel &model, int64_t boundNs);

} // namespace plc::plan

#endif

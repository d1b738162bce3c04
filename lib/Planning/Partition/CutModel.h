//===- CutModel.h - a program's cuts as times of its parts ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_CUTMODEL_H
#define PLC_LIB_PLANNING_PARTITION_CUTMODEL_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Cuts/Partition.h"

namespace plc::plan {

/// The cuts of a program that stands in stages, as a problem of times: it gives the slowest rank, a bound, and the
/// effect of moving a border. A node is what no cut divides: all calls of one path in a stage, or each call alone if
/// the program `cuts_kernels`. A call of F that discards results counts twice, once for its clone; the clones
/// themselves do not count.
struct CutModel {
  CutModel(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs);

  planner::PartitionProblem problem; ///< times in ns, for one micro-batch of the first replica
  std::vector<int64_t> stageOf;      ///< by node
  std::vector<mlir::Location> locs;  ///< by node: the location of its first call
};

/// Remarks why each cut lies where it does: the time of the slowest rank if the cut lay one node earlier or later.
void remarkCuts(ProgramOp program, const CutModel &model, int64_t boundNs);

} // namespace plc::plan

#endif

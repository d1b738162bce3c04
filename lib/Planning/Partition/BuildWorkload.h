//===- BuildWorkload.h - a flat program as a workload -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_BUILDWORKLOAD_H
#define PLC_LIB_PLANNING_PARTITION_BUILDWORKLOAD_H

#include "Base/FlatProgram.h"

#include "plc/Planner/Remat/Remat.h"
#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// What a workload counts with beside the model.
struct WorkloadFacts {
  simulator::RankThreads threads{};
  int64_t moments = 0;
  bool stepsMeet = false;
  llvm::ArrayRef<std::string> keepKinds{}; ///< of layers that save what they make
};

/// The model's workload. Calls, units and values are those of the flat program, in its order and numbers, values that no
/// call makes apart.
search::Workload buildWorkload(ein::ModelOp model, const FlatProgram &flat, const WorkloadFacts &facts);

/// What an answer recomputes, of the calls that may run again.
search::Recomputation recomputationOf(const FlatProgram &flat, const search::Workload &workload,
                                      const planner::Remat &answer);

/// Divides the program among groups of ranks (`shareStages`), and fills in the sharing.
mlir::LogicalResult share(ein::ModelOp model, FlatProgram &flat, search::Sharing &sharing);

} // namespace plc::plan

#endif

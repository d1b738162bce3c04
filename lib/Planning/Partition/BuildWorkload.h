//===- BuildWorkload.h - a flat program as a workload -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_BUILDWORKLOAD_H
#define PLC_LIB_PLANNING_PARTITION_BUILDWORKLOAD_H

#include "Base/FlatProgram.h"

#include "plc/Planner/Remat/Remat.h"
#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// Facts about the strategy that change times or bytes of a workload.
struct WorkloadFacts {
  simulator::RankThreads threads{};        ///< threads of each rank, among which long kernels are divided
  int64_t moments = 0;                     ///< tensors that the optimizer keeps for a trained parameter, if not
                                           ///< `ein.param` says which
  bool averages = false;                   ///< and the average of each
  bool stepsMeet = false;                  ///< the update needs the norm of all gradients
  llvm::ArrayRef<std::string> keepKinds{}; ///< kinds of layers that save all that they make
};

/// The workload of a model. Its calls and units have the numbers of the flat program. Its values are those that calls
/// make, numbered in the flat program's order. Times are nanoseconds, sizes are aligned bytes.
search::Workload buildWorkload(ein::ModelOp model, const FlatProgram &flat, const WorkloadFacts &facts);

/// The answer of a recomputation policy as a plan has it: each cloned call runs once per stage. Calls that may not run
/// again stay as they are.
search::Recomputation recomputationOf(const FlatProgram &flat, const search::Workload &workload,
                                      const planner::Remat &answer);

/// Divides the program among groups of ranks (`shareStages`). Fills in the stages and ranks of `sharing`, and divides
/// the units of `flat`. Fails with a diagnostic if a rank gets no work.
mlir::LogicalResult share(ein::ModelOp model, FlatProgram &flat, search::Sharing &sharing);

} // namespace plc::plan

#endif

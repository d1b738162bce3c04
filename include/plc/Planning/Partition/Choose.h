//===- Choose.h - models and plans, for the search --------------*- C++ -*-===//
#ifndef PLC_PLANNING_PARTITION_CHOOSE_H
#define PLC_PLANNING_PARTITION_CHOOSE_H

#include "plc/Planner/Remat/Grain.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Search/PlanSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::plan {

struct WorkloadOptions {
  planner::Grain grain = planner::Grain::layer; ///< units of cuts: layer calls, or kernels of equations
  bool prepares = false;                        ///< precompute values that are equal in all runs
  simulator::RankThreads threads{};             ///< threads of each rank, which shorten long kernels
  int64_t moments = 0;                          ///< tensors that the optimizer keeps beside a trained parameter
  bool averages = false;                        ///< and its average
  bool stepsMeet = false;                       ///< the update needs the norm of all gradients
  std::vector<std::string> keepKinds{};         ///< kinds of layers that save all that they make
  std::vector<int64_t> balance{};               ///< units of each stage, checked against the model; empty: open
};

/// The workload of a module's only model, which has kernels. With `sharing`, whose `shards`, `cut` and `groupOf` are
/// set, groups of ranks divide the units; the workload then holds the completed sharing. Fails with a diagnostic if the
/// balance does not match the model, or if a rank gets no work.
mlir::FailureOr<search::Workload> workloadOf(mlir::ModuleOp withKernels, const WorkloadOptions &options,
                                             const std::optional<search::Sharing> &sharing = std::nullopt);

/// What a policy recomputes of the whole model, as if it were one stage. Fails with a diagnostic if the mode names
/// layers that the model does not have.
mlir::FailureOr<search::Recomputation> recomputedBy(mlir::ModuleOp withKernels, const search::Workload &workload,
                                                    const WorkloadOptions &options, const planner::RematMode &mode);

/// A plan of that model as the text of a `plan.spec`, which `--plan-choose` takes. The module is unchanged.
std::string specText(mlir::ModuleOp withKernels, const search::Workload &workload, const search::PlanSpec &plan);

} // namespace plc::plan

#endif

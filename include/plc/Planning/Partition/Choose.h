//===- Choose.h - what the search for plans knows of a module ---*- C++ -*-===//
#ifndef PLC_PLANNING_PARTITION_CHOOSE_H
#define PLC_PLANNING_PARTITION_CHOOSE_H

#include "plc/Planner/Remat/Grain.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Search/PlanSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::plan {

struct WorkloadOptions {
  planner::Grain grain = planner::Grain::layer; ///< of the units
  bool prepares = false;                        ///< what is the same in all runs is precomputed
  simulator::RankThreads threads{};
  int64_t moments = 0;                  ///< tensors that the optimizer keeps beside each trained parameter
  bool stepsMeet = false;               ///< the update needs the norm of all gradients
  std::vector<std::string> keepKinds{}; ///< of layers that save what they make
  std::vector<int64_t> balance{};       ///< units of each stage, if they are given: checked
};

/// The workload of a module's only model, which has kernels. Fails with a diagnostic where the balance is not the model's. With `sharing`, of which
/// `shards`, `cut` and `groupOf` are set, units are divided, and the workload has it filled in; a rank without work is an error.
mlir::FailureOr<search::Workload> workloadOf(mlir::ModuleOp withKernels, const WorkloadOptions &options,
                                             const std::optional<search::Sharing> &sharing = std::nullopt);

/// What a policy recomputes of the whole model. Fails with a diagnostic where the mode names layers that
/// there are not.
mlir::FailureOr<search::Recomputation> recomputedBy(mlir::ModuleOp withKernels, const search::Workload &workload,
                                                    const WorkloadOptions &options, const planner::RematMode &mode);

/// A plan of that model as the text of a `plan.spec`, which `--plan-choose` takes.
std::string specText(mlir::ModuleOp withKernels, const search::Workload &workload, const search::PlanSpec &plan);

} // namespace plc::plan

#endif

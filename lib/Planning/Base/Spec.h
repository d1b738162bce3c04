//===- Spec.h - plan specs as operations and as data ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_SPEC_H
#define PLC_LIB_PLANNING_BASE_SPEC_H

#include "FlatProgram.h"

#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// The key of a strategy that has the text of a spec.
inline constexpr const char *planKey = "parallelism.plan";

/// The spec of a model, if it has one.
SpecOp specOf(mlir::ModuleOp module, llvm::StringRef model);

/// Adds a spec behind the model.
SpecOp createSpec(ein::ModelOp model, const search::Workload &workload, const search::PlanSpec &plan);

/// The ranks that share the stages of a spec, if groups do.
std::optional<search::Sharing> sharingOf(SpecOp spec);

/// Fails with a diagnostic where a spec cuts other units than those of its model, before groups of ranks divide them.
mlir::LogicalResult checkUnits(SpecOp spec, const FlatProgram &flat);

/// A spec as data, for the workload of its model, whose units it cuts. Fails with a diagnostic where it has not its calls.
mlir::FailureOr<search::PlanSpec> readSpec(SpecOp spec, const search::Workload &workload);

/// Writes into the calls of the flat program what the plan recomputes, and joins W to B where it says so. The workload is
/// that of the program.
void applyRecomputation(const search::Workload &workload, const search::PlanSpec &plan, FlatProgram &flat);

} // namespace plc::plan

#endif

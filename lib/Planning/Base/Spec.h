//===- Spec.h - plan specs as operations and as data ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_SPEC_H
#define PLC_LIB_PLANNING_BASE_SPEC_H

#include "FlatProgram.h"

#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// The strategy's key that holds the text of a spec.
inline constexpr const char *planKey = "parallelism.plan";

/// The spec of a model; null if it has none.
SpecOp specOf(mlir::ModuleOp module, llvm::StringRef model);

/// Adds a spec of the plan behind its model. Indices of the spec count forward calls and their values, so a reader
/// needs no numbers of backward calls.
SpecOp createSpec(ein::ModelOp model, const search::Workload &workload, const search::PlanSpec &plan);

/// The cut and the groups of a spec whose stages groups of ranks share; nothing for other specs.
std::optional<search::Sharing> sharingOf(SpecOp spec);

/// Fails with a diagnostic if a spec cuts another number of units than its model has, before groups divide them.
mlir::LogicalResult checkUnits(SpecOp spec, const FlatProgram &flat);

/// A spec as data, for the workload of its model. Fails with a diagnostic if it names units, calls or values that the
/// workload does not have, or recomputes a call that may not run again.
mlir::FailureOr<search::PlanSpec> readSpec(SpecOp spec, const search::Workload &workload);

/// Writes a plan's recomputation into the calls of its flat program (`discard`, `again`), and joins W to B in units
/// with a full backward. `workload` is that of `flat`.
void applyRecomputation(const search::Workload &workload, const search::PlanSpec &plan, FlatProgram &flat);

} // namespace plc::plan

#endif

//===- ApplyGroups.h - groups of parameters on a model ----------*- C++ -*-===//
#ifndef PLC_STRATEGY_APPLYGROUPS_H
#define PLC_STRATEGY_APPLYGROUPS_H

#include "plc/Module/ParameterGroups.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::strategy {

/// The whole parameters of a model.
std::vector<module::GroupedParameter> parametersOf(mlir::ModuleOp model);

/// Checks the groups of a strategy against the parameters of a model, and freezes those of frozen groups. Errors carry
/// the key that they are about. `isDifferentiated`: gradients were made before, so no group can freeze any more.
/// For rules on whole tensors it notes which axes of parameters are the rows of matrices, before gradients are made.
/// `isTrained`: each parameter that is not frozen needs rules that take its axes.
mlir::LogicalResult applyGroups(mlir::ModuleOp model, const module::OptimizerSettings &settings, bool isDifferentiated,
                                bool isTrained);

} // namespace plc::strategy

#endif

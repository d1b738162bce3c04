//===- ApplyGroups.h - groups of parameters on a model ----------*- C++ -*-===//
#ifndef PLC_STRATEGY_APPLYGROUPS_H
#define PLC_STRATEGY_APPLYGROUPS_H

#include "plc/Module/OptimizerSettings.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::strategy {

/// Checks the groups of a strategy against the parameters of a model, and freezes those of frozen groups. Errors carry
/// the key that they are about. `isDifferentiated`: gradients were made before, so no group can freeze any more.
mlir::LogicalResult applyGroups(mlir::ModuleOp model, const module::OptimizerSettings &settings, bool isDifferentiated);

} // namespace plc::strategy

#endif

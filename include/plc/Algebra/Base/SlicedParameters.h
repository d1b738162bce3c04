//===- SlicedParameters.h - parameters that are read slice by slice -*- C++ -*-===//
#ifndef PLC_ALGEBRA_BASE_SLICEDPARAMETERS_H
#define PLC_ALGEBRA_BASE_SLICEDPARAMETERS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace plc::algebra {

/// An axis of each parameter that all programs of a module read at constant positions alone, each position at least
/// once: the first such axis. Parameters with one of the `divided` sizes are left out, and so are those of
/// one axis, whose slices would be numbers.
llvm::DenseMap<mlir::StringAttr, int64_t> slicedParameters(mlir::ModuleOp module, llvm::ArrayRef<std::string> divided);

/// Whether a parameter has one of the `divided` sizes (NAME=PARTS).
bool isDivided(ein::ParamOp param, llvm::ArrayRef<std::string> divided);

/// The constant that a gather reads its table at along an axis. Nullopt if other positions choose there, or none do.
std::optional<int64_t> constantPosition(ein::GatherOp gather, int64_t axis);

} // namespace plc::algebra

#endif

//===- Views.h - the same elements under other indices ----------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_VIEWS_H
#define PLC_DIALECT_EIN_VIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace plc::ein {

/// Whether the operation only regroups axes (`ein.split`, `ein.merge`): its result is its input's memory.
bool isView(mlir::Operation *op);

/// The value that a chain of views shows; any other value itself.
mlir::Value viewed(mlir::Value value);

/// Axis `axis` of a value split into axes of these extents; those `count` axes merged into one.
mlir::Value split(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis,
                  llvm::ArrayRef<int64_t> extents);
mlir::Value merge(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, int64_t count);

/// The inverse of a view, applied to a value of its result's shape.
mlir::Value unview(mlir::OpBuilder &builder, mlir::Operation *view, mlir::Value value);

} // namespace plc::ein

#endif

//===- Views.h - the same elements under other indices ----------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_VIEWS_H
#define PLC_DIALECT_EIN_VIEWS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// Whether an operation only regroups axes (`ein.split`, `ein.merge`): its result is its input's whole memory in the
/// same order.
bool isRegrouping(mlir::Operation *op);
/// Whether the result of an operation is in its input's memory: a regrouping, or an `ein.window`.
bool isView(mlir::Operation *op);

/// The value behind a chain of views; any other value itself.
mlir::Value viewed(mlir::Value value);
/// The value behind a chain of regroupings, whose whole memory this value has.
mlir::Value regrouped(mlir::Value value);

/// Axis `axis` of a value split into axes of these extents, or `count` axes from `axis` on merged into one.
mlir::Value split(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis,
                  llvm::ArrayRef<int64_t> extents);
mlir::Value merge(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, int64_t count);

/// A value read at affine positions along each of its axes; their dimensions are the axes of the result of this shape.
mlir::Value window(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                   llvm::ArrayRef<AxisPositions> positions, llvm::ArrayRef<int64_t> shape);

/// The value as a sub-range of a tensor of this shape: along each axis from its offset on, at every stride-th position.
mlir::Value insertSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<int64_t> shape);

/// The inverse of a view that regroups, applied to a value of its result's shape.
mlir::Value unview(mlir::OpBuilder &builder, mlir::Operation *view, mlir::Value value);

} // namespace plc::ein

#endif

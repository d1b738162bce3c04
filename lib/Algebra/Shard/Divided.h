//===- Divided.h - tensors in equal parts along an axis ---------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDED_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDED_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace plc::algebra {

/// Of each of several tensors the axis along which it is in parts, if it is.
using Axes = llvm::SmallVector<std::optional<int64_t>>;

/// A tensor as equal parts along an axis, in order.
struct Divided {
  int64_t axis = 0;
  llvm::SmallVector<mlir::Value> parts;
};

/// The type of each of so many parts.
mlir::RankedTensorType partType(mlir::Type whole, int64_t axis, int64_t parts);

/// A part of what is whole.
mlir::Value sliceOf(mlir::OpBuilder &builder, mlir::Value whole, int64_t axis, int64_t part, int64_t parts);

/// The whole of this type: each part in its place, and elsewhere what the others' elements are joined with.
mlir::Value join(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type whole, const Divided &from);

/// Where an operation of one operand shows an axis of it in the same parts; none if it mixes them.
std::optional<int64_t> axisBehind(mlir::Operation *op, int64_t axis, int64_t parts);

/// A part of an equation along one of its dimensions, of operands some of which are parts; the others are sliced.
mlir::Value partOf(mlir::OpBuilder &builder, ein::Equation op, llvm::SmallVector<mlir::Value> operands, int64_t dim,
                   int64_t part, int64_t parts);

} // namespace plc::algebra

#endif

//===- Divided.h - tensors in shards ----------------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDED_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDED_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace plc::algebra {

/// For each of several tensors: the axis along which it is in shards, if it is.
using Axes = llvm::SmallVector<std::optional<int64_t>>;

/// A tensor as equal shards along an axis, in order.
struct Divided {
  int64_t axis = 0;
  llvm::SmallVector<mlir::Value> shards;
};

/// The type of each of `parts` shards. `parts` must divide the axis.
mlir::RankedTensorType partType(mlir::Type whole, int64_t axis, int64_t shards);

/// A shard of a whole tensor, as a window: no copy.
mlir::Value sliceOf(mlir::OpBuilder &builder, mlir::Value whole, int64_t axis, int64_t shard, int64_t shards);

/// The whole tensor: each shard placed at its offset between zeros (or false), and these added (or joined by `or`).
mlir::Value join(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type whole, const Divided &from);

/// The result's axis that shows a sharded axis of the operand, for a cast or a view of one operand. Nullopt if the
/// operation mixes elements of several shards.
std::optional<int64_t> axisBehind(mlir::Operation *op, int64_t axis, int64_t shards);

/// One shard of an equation along dimension `dim`. Operands are shards, or whole where the equation reads them whole;
/// whole ones that have `dim` are sliced.
mlir::Value partOf(mlir::OpBuilder &builder, ein::Equation op, llvm::SmallVector<mlir::Value> operands, int64_t dim,
                   int64_t shard, int64_t shards);

} // namespace plc::algebra

#endif

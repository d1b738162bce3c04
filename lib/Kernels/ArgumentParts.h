//===- ArgumentParts.h - shards that bodies read ----------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_ARGUMENTPARTS_H
#define PLC_LIB_KERNELS_ARGUMENTPARTS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::kernels {

/// The shard (`--ein-shard`) that a value is computed from, for values of one shard alone.
using PartOfValue = llvm::DenseMap<mlir::Value, int64_t>;

/// Adds the results of an equation that reads one shard. Whole values, and values that combine shards, have none.
void addPart(mlir::Operation *op, PartOfValue &parts);
/// Adds the values of a block: forward from its arguments, then backward to values that read no shard and are read for
/// one shard alone.
void addParts(mlir::Block &block, PartOfValue &parts);

/// The shards of the arguments of each body of a module, from the model's parameters and states through its calls. An
/// argument that has different shards in different calls has none.
class ArgumentParts {
public:
  explicit ArgumentParts(mlir::ModuleOp module);
  /// The arguments of a body that have a shard.
  PartOfValue of(ein::FuncOp body) const;

private:
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<int64_t>> arguments; // -1: none
};

} // namespace plc::kernels

#endif

//===- ArgumentParts.h - which part of a model bodies read ------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_ARGUMENTPARTS_H
#define PLC_LIB_KERNELS_ARGUMENTPARTS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::kernels {

/// Of values that are computed from one part of parameters and states (`--ein-shard`), that part.
using PartOfValue = llvm::DenseMap<mlir::Value, int64_t>;

/// Adds the results of an equation; none of what is whole, or puts parts together.
void addPart(mlir::Operation *op, PartOfValue &parts);
/// Adds those of a block: forward from its arguments, and backward to what reads none and is read for one part alone.
void addParts(mlir::Block &block, PartOfValue &parts);

/// The parts of the arguments of each body of a module, from the model's parameters and states through its calls. Of an
/// argument that is of several parts, in different calls, it tells none.
class ArgumentParts {
public:
  explicit ArgumentParts(mlir::ModuleOp module);
  PartOfValue of(ein::FuncOp body) const;

private:
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<int64_t>> arguments; // -1: none
};

} // namespace plc::kernels

#endif

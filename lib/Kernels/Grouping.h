//===- Grouping.h - groups the equations of a body in kernels ---*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_GROUPING_H
#define PLC_LIB_KERNELS_GROUPING_H

#include "ArgumentParts.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Dialect/Plan/Plan.h"

namespace plc::kernels {

/// The equations of one kernel, in program order. Free ones (ein::isFree) are listed only if they need memory.
struct Group {
  plan::KernelKind kind;
  llvm::SmallVector<mlir::Operation *> equations;
};

/// Whether an operation reads all operands from memory, even free ones.
inline bool needsMemory(mlir::Operation *user) {
  return ein::isView(user) ||
         mlir::isa<ein::ContractOp, ein::ScatterAddOp, ein::PutOp, ein::InsertSliceOp, ein::LoopOp, ein::ReturnOp>(
             user);
}

/// Whether an operation makes no value of its own, so that kernels that read it hold a copy of it: a view, or a gather
/// or a cast that a contraction reads in place.
bool isReadThrough(mlir::Operation *op);

/// The values in memory behind a value that a kernel reads. Behind a view it is the viewed value; behind a gather that
/// is read in place, the table and the positions; behind a widened factor, the narrow tensor; else the value itself.
llvm::SmallVector<mlir::Value, 2> readBehind(mlir::Value value);

/// Groups a body's equations, in an order in which the groups can run: each equation is in exactly one group, and
/// groups depend on each other without cycles. Without `fusion` each equation is a group. Values of different shards
/// are in different groups, so that ranks may share a body; `parts` has the shards of the arguments. Fails with a
/// diagnostic on an equation that is not ready: an order is missing, or a contraction is not binary.
mlir::FailureOr<llvm::SmallVector<Group>> groupEquations(mlir::Block &body, bool fusion, const PartOfValue &parts);

} // namespace plc::kernels

#endif

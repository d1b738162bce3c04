//===- Grouping.h - which equations form a kernel ---------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_GROUPING_H
#define PLC_LIB_KERNELS_GROUPING_H

#include "ArgumentParts.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Dialect/Plan/Plan.h"

namespace plc::kernels {

/// Equations of one kernel, in program order; free ones (see ein::isFree) are not listed unless they need memory.
struct Group {
  plan::KernelKind kind;
  llvm::SmallVector<mlir::Operation *> equations;
};

/// Whether an operation reads its operands in memory, even those that are free.
inline bool needsMemory(mlir::Operation *user) {
  return ein::isView(user) ||
         mlir::isa<ein::ContractOp, ein::ScatterAddOp, ein::PutOp, ein::PlaceOp, ein::LoopOp, ein::ReturnOp>(user);
}

/// Whether an operation makes no value of its own, so that the kernels that read it hold a copy of it: a view, or a gather or
/// a cast that a contraction reads in place.
bool isReadThrough(mlir::Operation *op);

/// What is behind a value that kernels read: itself, what a view shows, the table and the positions of a gather that is
/// read in place, the narrow tensor that a contraction widens.
llvm::SmallVector<mlir::Value, 2> readBehind(mlir::Value value);

/// Groups of a body's equations in an order in which they can run: each equation in exactly one group, no two groups
/// need each other. Without `fusion`, an equation to each group. What is computed from different parts of a model is in
/// different groups, so that ranks may share a body; `parts` has those of the arguments. Fails with a diagnostic on an
/// equation that is not ready (an order missing, a contraction that is not binary).
mlir::FailureOr<llvm::SmallVector<Group>> groupEquations(mlir::Block &body, bool fusion, const PartOfValue &parts);

} // namespace plc::kernels

#endif

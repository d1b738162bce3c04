//===- LoopAdjoint.h - gradients through loops ------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_LOOPADJOINT_H
#define PLC_LIB_ALGEBRA_ADJOINT_LOOPADJOINT_H

#include "Base/Equations.h"

#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// The gradients of the active operands of a loop, given those of its results (null: none). Makes the loop anew, so
/// that it also returns the values that the gradients need. Appends pairs of operand and gradient to `contributions`.
/// Fails, with an error, where a derivative is not supported.
llvm::LogicalResult differentiateLoop(mlir::OpBuilder &builder, ein::LoopOp loop, llvm::ArrayRef<mlir::Value> gradients,
                                      const llvm::DenseSet<mlir::Value> &active,
                                      llvm::SmallVectorImpl<std::pair<mlir::Value, mlir::Value>> &contributions);

/// The arguments of a loop's body that depend on active operands, in any iteration.
llvm::DenseSet<mlir::Value> activeArguments(ein::LoopOp loop, const llvm::DenseSet<mlir::Value> &active);

} // namespace plc::algebra

#endif

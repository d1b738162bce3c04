//===- LoopAdjoint.h - gradients through the iterations of a loop -*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_LOOPADJOINT_H
#define PLC_LIB_ALGEBRA_ADJOINT_LOOPADJOINT_H

#include "Base/Equations.h"

#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// The gradients of the operands of a loop that are active, given those of its results (null: none). The loop is made
/// anew, so that it gives what the gradients need. Fails, with an error, where a derivative is not supported.
llvm::LogicalResult differentiateLoop(mlir::OpBuilder &builder, ein::LoopOp loop, llvm::ArrayRef<mlir::Value> gradients,
                                      const llvm::DenseSet<mlir::Value> &active,
                                      llvm::SmallVectorImpl<std::pair<mlir::Value, mlir::Value>> &contributions);

/// The arguments of a loop's body that depend on active operands, in any turn.
llvm::DenseSet<mlir::Value> activeArguments(ein::LoopOp loop, const llvm::DenseSet<mlir::Value> &active);

} // namespace plc::algebra

#endif

//===- CopyOperands.h - operands in a form that kernels read ----*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_COPYOPERANDS_H
#define PLC_LIB_KERNELS_COPYOPERANDS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::kernels {

/// What an equation adds to in place; null if it makes its result.
mlir::Value accumulatorOf(mlir::Operation *op);

/// What a kernel gives for a value that its group makes: the view of it that the body returns, if that is the only one
/// and the value itself is not returned.
mlir::Value givenFor(mlir::Value made);

/// Copies what kernels cannot read where it lies, or return as it is: views of a returned argument, merged windows,
/// operands of a loop that are not one piece. Gives each contraction gathers, casts and views of its own where it reads
/// through them.
void copyOperands(mlir::Block &block);

/// Copies what an iteration gives but does not make, or gives twice: it stands in one place for the next iteration and
/// in one for the result.
void copyTurnResults(ein::LoopOp loop);

} // namespace plc::kernels

#endif

//===- DivideLoop.h - loops whose turns do each part by itself --*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDELOOP_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDELOOP_H

#include "Divided.h"

namespace plc::algebra {

/// Along which axes a loop that reads parts is one loop for each.
struct LoopAxes {
  Axes operands, results; ///< none: whole in each of the loops
  llvm::DenseMap<mlir::Value, int64_t> ofTurn;
};

/// The axes of a loop whose operands are in so many parts along `given`; none if a turn needs more than its own part of
/// something, or parts of all turns.
std::optional<LoopAxes> axesOfLoop(ein::LoopOp loop, const Axes &given, int64_t parts);

/// The loop of one part, of operands that are parts or whole as `axes` says.
ein::LoopOp loopOfPart(mlir::OpBuilder &builder, ein::LoopOp loop, mlir::ValueRange operands, const LoopAxes &axes,
                       int64_t part, int64_t parts);

} // namespace plc::algebra

#endif

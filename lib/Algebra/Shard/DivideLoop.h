//===- DivideLoop.h - loops that compute each shard alone -------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDELOOP_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDELOOP_H

#include "Divided.h"

namespace plc::algebra {

/// The axes along which a loop that reads shards is one loop for each shard.
struct LoopAxes {
  Axes operands, results; ///< none: whole in each of the loops
  /// The same for values of an iteration.
  llvm::DenseMap<mlir::Value, int64_t> ofIteration;
};

/// The axes of a loop whose operands are in `parts` shards along `given`. Nullopt if an iteration needs more than its
/// own shard of a value, or if the shards are of iterations.
std::optional<LoopAxes> axesOfLoop(ein::LoopOp loop, const Axes &given, int64_t shards);

/// The loop of one shard, over operands that are shards or whole as `axes` says.
ein::LoopOp loopOfPart(mlir::OpBuilder &builder, ein::LoopOp loop, mlir::ValueRange operands, const LoopAxes &axes,
                       int64_t shard, int64_t shards);

} // namespace plc::algebra

#endif

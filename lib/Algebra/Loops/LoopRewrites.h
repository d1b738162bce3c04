//===- LoopRewrites.h - rewrites of loops -----------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_LOOPS_LOOPREWRITES_H
#define PLC_LIB_ALGEBRA_LOOPS_LOOPREWRITES_H

#include "Base/Equations.h"

#include <optional>

namespace plc::algebra {

/// A loop with the body and attributes of another one. The caller replaces the results of the old loop, whose body is
/// taken, and erases it.
ein::LoopOp remake(ein::LoopOp loop, mlir::ValueRange init, mlir::ValueRange slices, mlir::ValueRange invariants,
                   mlir::TypeRange results);

/// What the body reads of a value of all iterations (`stacked`), or of one that is the same in each iteration. Adds an
/// argument of the body if there is none yet.
mlir::Value partOf(ein::LoopOp loop, mlir::Value stacked);
mlir::Value sharedOf(ein::LoopOp loop, mlir::Value value);

/// The values that a value of the body has in all iterations, along a new axis 0. Adds a result of the loop if there is
/// none yet: `loop` is then a new operation.
mlir::Value stackOf(ein::LoopOp &loop, mlir::Value value);

/// Drops carries, slices, invariants and elements that nothing needs, in all loops of a block and of their bodies.
void pruneLoops(mlir::Block &block);

/// The least number of segments, and of iterations in a segment. Not tuned: with fewer there is little memory to save,
/// and a product over few iterations is slow.
inline constexpr int64_t fewestOfSegment = 8, fewestIterations = fewestOfSegment * fewestOfSegment;

/// The number of iterations in each segment of a loop: the smallest divisor of `iterations` that is at least its square
/// root. Near the root, the values at the starts of segments and those that one segment saves need about equal memory
/// (Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016). Nullopt if either factor would be below
/// `fewestOfSegment`.
std::optional<int64_t> segmentOf(int64_t iterations);

/// Takes equations out of a loop that no iteration has to wait for. Equations that read no carry go before it, those
/// that no carry reads go behind it, each as one equation over all iterations. Cheap elementwise equations stay, unless
/// an equation that leaves needs them. No order of a sum changes, so no bit does. Out of a loop of segments only
/// equations that are equal in all segments go before it, and only scatters behind it.
void splitLoop(ein::LoopOp loop);
/// Splits all loops of a block, inner ones first.
void splitLoops(mlir::Block &block);

/// The sum of a value over axis 0. Where an equation sums what it reads, it sums that axis too, and the value is never
/// stored for all iterations.
mlir::Value sumOverIterations(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stacked);

} // namespace plc::algebra

#endif

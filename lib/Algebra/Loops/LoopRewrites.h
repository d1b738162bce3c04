//===- LoopRewrites.h - rewriting the turns of a loop ------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_LOOPS_LOOPREWRITES_H
#define PLC_LIB_ALGEBRA_LOOPS_LOOPREWRITES_H

#include "Base/Equations.h"

#include <optional>

namespace plc::algebra {

/// A loop like another, with its body; the other one is erased, and its results are not replaced.
ein::LoopOp remake(ein::LoopOp loop, mlir::ValueRange init, mlir::ValueRange slices, mlir::ValueRange invariants,
                   mlir::TypeRange results);

/// What the body reads of a value of all turns, or of one that is the same in each: a further argument of it, if there
/// is none yet.
mlir::Value partOf(ein::LoopOp loop, mlir::Value stacked);
mlir::Value sharedOf(ein::LoopOp loop, mlir::Value value);

/// The values that a value of the body has in all turns, along a new axis 0: a further result, if there is none yet. The
/// loop is made anew for it.
mlir::Value stackOf(ein::LoopOp &loop, mlir::Value value);

/// Drops, in the loops of a block and of their bodies, carries, slices, invariants and elements that nothing needs.
void pruneLoops(mlir::Block &block);

/// Of segments, and of turns of one: of less there is little to save, and a product over fewer turns would be slow.
inline constexpr int64_t fewestOfSegment = 8, fewestTurns = fewestOfSegment * fewestOfSegment;

/// The turns of each segment that a loop of so many is cut into: the smallest divisor that is at least the square root.
/// Nothing for few turns, and where there would be few segments.
std::optional<int64_t> segmentOf(int64_t turns);

/// Takes out of a loop what no turn has to wait for: equations that do not read carries go before it, those that no
/// carry reads behind it, in each case with what depends on them, as one equation over all turns. Cheap elementwise
/// equations stay, unless what leaves needs them. Bits do not change: no order of a sum does. Of a loop of segments only
/// that goes before it which is the same in all, and only scatters behind it.
void splitLoop(ein::LoopOp loop);
/// All of a block, inner ones first.
void splitLoops(mlir::Block &block);

/// The sum over axis 0 of a value: where an equation adds up what it reads, it adds up that axis too.
mlir::Value sumOverTurns(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stacked);

} // namespace plc::algebra

#endif

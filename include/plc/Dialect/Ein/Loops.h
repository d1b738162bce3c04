//===- Loops.h - types of loops' iterations ---------------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_LOOPS_H
#define PLC_DIALECT_EIN_LOOPS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The type of the values of all iterations, stacked along a new axis 0, and that of one iteration's value.
mlir::RankedTensorType stackedType(mlir::Type element, int64_t iterations);
mlir::RankedTensorType partType(mlir::Type stacked);

/// Whether iterations are segments of a longer loop's, as `--ein-segment-loops` makes them. Values are those of the
/// longer loop, but what a segment computes stays in it. It is a discardable attribute.
bool runsSegments(LoopOp loop);
void markSegments(LoopOp loop);

} // namespace plc::ein

#endif

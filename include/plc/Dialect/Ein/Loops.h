//===- Loops.h - types of what turns read and give --------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_LOOPS_H
#define PLC_DIALECT_EIN_LOOPS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The type of values of all turns along a new axis 0, and of the value of one turn.
mlir::RankedTensorType stackedType(mlir::Type element, int64_t turns);
mlir::RankedTensorType partType(mlir::Type stacked);

/// Whether turns are segments of a longer loop's turns, as `--ein-segment-loops` makes them. The loop means no other values,
/// but what a segment computes stays in it. Written as an attribute that no one needs to know.
bool runsSegments(LoopOp loop);
void markSegments(LoopOp loop);

} // namespace plc::ein

#endif

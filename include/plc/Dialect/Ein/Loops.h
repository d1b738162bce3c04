//===- Loops.h - types of what turns read and give --------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_LOOPS_H
#define PLC_DIALECT_EIN_LOOPS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The type of values of all turns along a new axis 0, and of the value of one turn.
mlir::RankedTensorType stackedType(mlir::Type element, int64_t turns);
mlir::RankedTensorType partType(mlir::Type stacked);

} // namespace plc::ein

#endif

//===- Rates.h - the shipped cost model of a kernel -------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_RATES_H
#define PLC_LIB_KERNELS_RATES_H

#include "mlir/IR/Operation.h"

namespace plc::kernels {

/// What one call costs on one thread. The same on every machine, so that plans do not depend on where they are made.
struct Cost {
  int64_t flops = 0; // two per fused multiply-add, one per other operation
  double ns = 0;     // arithmetic alone
};

Cost costOf(mlir::Operation *equation);

/// Bytes of a tensor in memory; i1 takes one byte.
int64_t bytesOf(mlir::Type tensor);

/// Time of a call: arithmetic or memory, whichever is slower, and the call itself.
int64_t callNs(double arithmeticNs, int64_t bytes);

} // namespace plc::kernels

#endif

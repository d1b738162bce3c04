//===- Rates.h - the cost model of a kernel ---------------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_RATES_H
#define PLC_LIB_KERNELS_RATES_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::kernels {

/// Nanoseconds on one thread, in f32; f64 takes twice as long. The pass's options, whose defaults are shipped.
struct Rates {
  double contractFlop, tileFlop, chainFlop; ///< of a contraction, by who computes it
  double reducedElement, scatteredElement;
  double element, exp, log, tanh, divide; ///< per element of a map
  double byte, call;
};

/// What one call costs on one thread. The same on every machine, so that plans do not depend on where they are made.
struct Cost {
  int64_t flops = 0; // two per fused multiply-add, one per other operation
  double ns = 0;     // arithmetic alone
};

/// Of an equation in a kernel that `by` computes.
Cost costOf(mlir::Operation *equation, plan::Implementation by, const Rates &rates);
/// Nanoseconds of a contraction alone, by an implementation of kind 'contract' that can compute it.
double contractionNs(ein::ContractOp op, plan::Implementation by, const Rates &rates);

/// Time of a call: arithmetic or memory, whichever is slower, and the call itself.
int64_t callNs(double arithmeticNs, int64_t bytes, const Rates &rates);

} // namespace plc::kernels

#endif

//===- Contraction.h - a contraction as strided loops -----------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_CONTRACTION_H
#define PLC_LIB_CODEGEN_CONTRACTION_H

#include "KernelWriter.h"

namespace plc::codegen {

/// Dimensions that are one loop in a, b and c: an extent and the step in elements of each.
struct Run {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0;
};

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]; runs of each class, slowest first (k: in the order
/// of the summation). Neighbours whose steps compose in all three tensors are one run.
struct Contraction {
  llvm::SmallVector<Run> batch, m, n, k;
  mlir::Value a, b, c; // kernel arguments and result
  bool accumulates = false;
};

Contraction analyse(ein::ContractOp op);

/// Blocks of summed elements, as numerics fixes them.
inline constexpr int64_t sumBlock = 256;

} // namespace plc::codegen

#endif

//===- MatmulNest.h - a contraction as strided loops ------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_MATMULNEST_H
#define PLC_ANALYSIS_MATMULNEST_H

#include "plc/Dialect/Ein/Ein.h"

#include <optional>

namespace plc::ein {

/// Dimensions that are one loop in a, b and c: an extent and the step in elements of each.
struct LoopDim {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0;
};

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]; loops of each class, slowest first (k: in the order
/// of the summation). Neighbours whose steps compose in all three tensors are one loop.
struct Contraction {
  llvm::SmallVector<LoopDim> batch, m, n, k;
  mlir::Value a, b, c;
  int64_t firstOfA = 0, firstOfB = 0; // where in memory their first elements lie
  mlir::Type sum;                     // what products and sums are taken in
  bool accumulates = false;
};

/// Of a binary contraction with an order.
Contraction analyse(ContractOp op);

/// Summed elements of a block, as the numerics fix them.
inline constexpr int64_t sumBlock = 256;

/// A matrix product with one loop each of m, n and k, in loops over what does not fit: `outer` (any order) and `slow`,
/// summed dimensions outside k (slowest first; then k is a multiple of sumBlock). If c is contiguous along a loop of m
/// or n, that is n.
///
/// n may count several loops (`columns`, slowest first) that are one in c but not in b, and k several (`depth`) that are
/// not one in both a and b: the windows of a convolution. Then the steps of n in b, and of k, are those of the fastest.
struct MatmulNest {
  LoopDim m, n, k;
  llvm::SmallVector<LoopDim> outer, slow, columns, depth;
  mlir::Value a, b, c;
  int64_t firstOfA = 0, firstOfB = 0;
  bool accumulates = false;

  int64_t units() const;
  int64_t slowSteps() const;
  /// Whether a and b have one step along each of m, n and k.
  bool isStrided() const { return columns.empty() && depth.empty(); }
  /// Of the product alone, without what lies outside it.
  int64_t products() const { return m.extent * n.extent * k.extent; }
};

/// Nothing if a class has no loop or sums are in another type than c.
std::optional<MatmulNest> asProduct(Contraction contraction);

} // namespace plc::ein

#endif

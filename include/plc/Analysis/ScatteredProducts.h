//===- ScatteredProducts.h - scatters of outer products ---------*- C++ -*-===//
#ifndef PLC_ANALYSIS_SCATTEREDPRODUCTS_H
#define PLC_ANALYSIS_SCATTEREDPRODUCTS_H

#include "plc/Analysis/MatmulNest.h"

namespace plc::ein {

/// The equation that computes a scatter's updates, if the scatter can compute them as it adds. It is a copy, or a
/// product of two tensors (or of a tensor and a constant), over the scatter's domain; each tensor has fewer dimensions,
/// and nothing else reads the result.
MapOp fusedUpdates(ScatterAddOp scatter);

/// A factor of the update at a point: a tensor in memory, or a constant.
struct ScatteredFactor {
  mlir::Value value;
  llvm::SmallVector<int64_t> strides; // by dimension of the scatter's domain
  int64_t first = 0;
};
/// The factors of a scatter's updates: its updates and its factor, if it has one; the operands of `fusedUpdates`; or
/// the updates alone.
llvm::SmallVector<ScatteredFactor, 2> factorsOf(ScatterAddOp scatter);

/// Sums of outer products, one matrix for each position, in the order of the rows: c[outer, position(row)][m, n] +=
/// a[outer, row, m] * b[outer, row, n].
struct ScatteredProducts {
  bool fused = false; // fma: product and sum are rounded together
  llvm::SmallVector<LoopDim> outer, rows;
  LoopDim m, n; // c is contiguous along n
  mlir::Value a, b;
  int64_t firstOfA = 0, firstOfB = 0;
  TablePart part; // how c is addressed; its gather is null

  int64_t rowCount() const;
};

/// The outer products of a scatter; nullopt if it adds no products of reals, or products without a matrix, or has too
/// many rows to be grouped.
std::optional<ScatteredProducts> asScatteredProducts(ScatterAddOp scatter);

} // namespace plc::ein

#endif

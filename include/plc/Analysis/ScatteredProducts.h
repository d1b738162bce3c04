//===- ScatteredProducts.h - what a scatter adds, and where -----*- C++ -*-===//
#ifndef PLC_ANALYSIS_SCATTEREDPRODUCTS_H
#define PLC_ANALYSIS_SCATTEREDPRODUCTS_H

#include "plc/Analysis/MatmulNest.h"

namespace plc::ein {

/// The equation whose result a scatter adds, if the scatter can compute it at the points where it adds it: a copy or a
/// product of two tensors (or a tensor and a constant) over the scatter's domain, each over fewer dimensions, which nothing
/// else reads.
MapOp fusedUpdates(ScatterAddOp scatter);

/// A factor of what a scatter adds at a point: a tensor in memory, or a constant.
struct ScatteredFactor {
  mlir::Value value;
  llvm::SmallVector<int64_t> strides; // by dimension of the scatter's domain
  int64_t first = 0;
};
/// The updates, and the factor if there is one; else, of updates that are not in memory, those of `fusedUpdates`.
llvm::SmallVector<ScatteredFactor, 2> factorsOf(ScatterAddOp scatter);

/// Sums of outer products, one matrix for each position: c[outer, position(row)][m, n] += a[outer, row, m] * b[outer, row, n]
/// in the order of the rows.
struct ScatteredProducts {
  bool fused = false; // whether a product is rounded with the sum
  llvm::SmallVector<LoopDim> outer, rows;
  LoopDim m, n; // c is contiguous along n
  mlir::Value a, b;
  int64_t firstOfA = 0, firstOfB = 0;
  TablePart part; // of c; the gather is null

  int64_t rowCount() const;
};

/// Nothing if a scatter adds no products of real numbers, or such as have no matrix, or rows are too many to be grouped.
std::optional<ScatteredProducts> asScatteredProducts(ScatterAddOp scatter);

} // namespace plc::ein

#endif

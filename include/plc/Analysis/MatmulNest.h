//===- MatmulNest.h - a contraction as strided loops ------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_MATMULNEST_H
#define PLC_ANALYSIS_MATMULNEST_H

#include "plc/Dialect/Ein/Ein.h"

#include <optional>

namespace plc::ein {

/// Dimensions that are one loop in a, b and c, and in the positions by which b is read: an extent and the step in elements
/// of each.
struct LoopDim {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0, positions = 0;
};

/// How b is read where it is a table that a gather reads: from its element of 0 on, moved by `stride` elements as often as
/// a tensor of positions says.
struct TablePart {
  GatherOp gather;
  mlir::Value positions;
  int64_t firstPosition = 0; // where in its memory the first position lies
  int64_t stride = 0;
  int64_t extent = 0; // of the axis that positions count along
};

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n], where a and b may be narrow, or what is rounded where it is read (readAs); loops of each class, slowest first (k: in the order
/// of the summation). Neighbours whose steps compose in all three tensors are one loop.
struct Contraction {
  llvm::SmallVector<LoopDim> batch, m, n, k;
  mlir::Value a, b, c;
  int64_t firstOfA = 0, firstOfB = 0; // where in memory their first elements lie
  mlir::Type sum;                     // what products and sums are taken in
  bool accumulates = false;
  bool chains = false;             // all of a sum is one chain, from the accumulator on
  bool pairs = false;              // blocks are of `pairBlock`, each two chains
  llvm::SmallVector<LoopDim> anew; // summed loops outside k, at each step of which blocks begin anew
  std::optional<TablePart> part;   // of b, which is the table then

  /// Whether b is read by a position that a loop counts.
  static bool isOfPositions(const LoopDim &loop) { return loop.positions != 0; }
};

/// Of a binary contraction with an order.
Contraction analyse(ContractOp op);

/// Summed elements of a block, as the numerics fix them.
inline constexpr int64_t sumBlock = 256;

/// Likewise of those of pairs. What is packed or passes by together is `sumBlock`, a multiple of it, all the same.
inline constexpr int64_t pairBlock = 32;

/// Bytes of a block's rows of b, copied together, that tiles keep in the second cache; a's rows are read once for them.
inline constexpr int64_t packedBytes = 256 << 10;

/// A matrix product with one loop each of m, n and k, in loops over what does not fit: `outer` (any order) and `slow`,
/// summed dimensions outside k (slowest first; at each of their steps blocks begin anew, unless the sum is a chain, which goes
/// on from the accumulator through all of them). If c is contiguous along a loop of m
/// or n, that is n.
///
/// n may count several loops (`columns`, slowest first) that are one in c but not in b, and k several (`depth`) that are
/// not one in both a and b: the windows of a convolution. Then the steps of n in b, and of k, are those of the fastest. The
/// slowest of `columns` may lie apart in c, too: the images of a batch.
struct MatmulNest {
  LoopDim m, n, k;
  llvm::SmallVector<LoopDim> outer, slow, columns, depth;
  mlir::Value a, b, c;
  int64_t firstOfA = 0, firstOfB = 0;
  bool accumulates = false, chains = false, pairs = false;

  int64_t units() const;
  int64_t slowSteps() const;
  /// Whether a and b have one step along each of m, n and k.
  bool isStrided() const { return columns.empty() && depth.empty(); }
  /// How many columns lie beside each other in c: all, or those of one turn of the slowest of `columns`.
  int64_t run() const;
  /// Whether tiles copy the panels of b together: if they lie apart, or if so many rows read them that it pays.
  bool packs() const;
  /// Of the product alone, without what lies outside it.
  int64_t products() const { return m.extent * n.extent * k.extent; }
};

/// Nothing if a class has no loop, if sums are in another type than c, or if b is read by positions.
std::optional<MatmulNest> asProduct(Contraction contraction);

/// Rows of a stream at most: their sums wait in the first cache while a matrix passes by.
inline constexpr int64_t mostStreamRows = 4;

/// A few rows, or one (then m counts nothing), times a matrix b that is read once, as it lies: along n or along k. c is
/// contiguous along n; there are no `columns` and no `depth`. Nothing if there are more rows, or b lies otherwise.
std::optional<MatmulNest> asStream(Contraction contraction);

/// The product as tiles compute it: with a loop of `outer` that b alone counts among its columns, if registers of tiles are
/// fuller then.
MatmulNest forTiles(MatmulNest product);

/// Products of one table's parts with the rows that chose each: c[outer, row, n] = sum over k of
/// a[outer, row, k] * table[outer, position(row)][k, n]. `product` has n, k (with `slow` and `depth` as there) and `outer`; its
/// m counts nothing. `rows` are loops that a alone or the positions count.
struct GroupedNest {
  MatmulNest product;
  llvm::SmallVector<LoopDim> rows;
  TablePart part;

  int64_t rowCount() const;
};

/// Most parts of a table that rows are grouped by: their numbers lie on the stack, as rows do.
inline constexpr int64_t mostParts = 1 << 14, mostGroupedRows = 1 << 15;

/// Nothing if rows that chose one part have no product in common, or are too many.
std::optional<GroupedNest> asGrouped(Contraction contraction);

} // namespace plc::ein

#endif

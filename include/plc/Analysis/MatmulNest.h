//===- MatmulNest.h - a contraction as strided loops ------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_MATMULNEST_H
#define PLC_ANALYSIS_MATMULNEST_H

#include "plc/Dialect/Ein/Ein.h"

#include <optional>

namespace plc::ein {

/// Dimensions that are one loop in a, b, c and in the positions by which b is read: the extent, and the stride in
/// elements of each.
struct LoopDim {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0, positions = 0;
};
/// The iterations of nested loops.
int64_t extentOf(llvm::ArrayRef<LoopDim> loops);

/// How b is read if it is the table of a gather: from the element of position 0, plus `stride` elements times the
/// position.
struct TablePart {
  GatherOp gather;
  mlir::Value positions;
  int64_t firstPosition = 0; // offset of the first position in its tensor
  int64_t stride = 0;
  int64_t extent = 0; // of the axis that positions count along
};

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]. Each class of loops is slowest first; k is in the
/// order of the sum. Neighbouring loops whose strides compose in all three tensors are one. a and b may be narrow, or
/// rounded where they are read (readAs).
struct Contraction {
  llvm::SmallVector<LoopDim> batch, m, n, k;
  mlir::Value a, b, c;
  int64_t firstOfA = 0, firstOfB = 0; // offsets of their first elements
  mlir::Type sum;                     // type of products and sums
  bool accumulates = false;
  bool chains = false;             // each sum is one chain from the accumulator on
  bool pairs = false;              // blocks have `pairBlock` elements and two chains
  llvm::SmallVector<LoopDim> anew; // summed loops outside k; blocks begin anew at each of their steps
  std::optional<TablePart> part;   // how b, a table, is read

  /// Whether a loop counts positions by which b is read.
  static bool isOfPositions(const LoopDim &loop) { return loop.positions != 0; }
};

/// The loops of a binary contraction that has an order.
Contraction analyse(ContractOp op);

/// Summed elements of a block, as the numerics fix them (docs/numerics.md).
inline constexpr int64_t sumBlock = 256;

/// Summed elements of a block of pairs: a TDPBF16PS instruction has 32. Kernels still pack and stream `sumBlock`
/// elements, a multiple of it.
inline constexpr int64_t pairBlock = 32;

/// Bytes of packed rows of b that tiles keep in L2 for each block; rows of a are read once for them. 256 sums of 64 f32
/// columns are 64 KiB, so four panels share a read of a. It is a quarter of the L2 of a Zen 5 core. Not tuned further.
inline constexpr int64_t packedBytes = 256 << 10;

/// A matrix product with one loop each of m, n and k, inside loops over the other dimensions: `outer` in any order, and
/// `slow`, summed dimensions outside k, slowest first. Blocks begin anew at each step of `slow`, unless the sum is a
/// chain, which continues through all of them. If c is contiguous along a loop of m or n, that loop is n.
///
/// n may count several loops (`columns`, slowest first) that are one in c but not in b, and k several (`depth`) that
/// are not one in both a and b, as the windows of a convolution. Then the strides of n in b, and of k, are those of the
/// fastest loop. The slowest of `columns` may be apart in c, too: the images of a batch.
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
  /// Columns that are contiguous in c: all, or those of one iteration of the slowest of `columns`.
  int64_t run() const;
  /// Whether tiles pack the panels of b: if their rows are not contiguous, or if enough rows of a read them.
  bool packs() const;
  /// Multiplications of one product, without the loops outside it.
  int64_t products() const { return m.extent * n.extent * k.extent; }
};

/// The matrix product of a contraction; nullopt if a class has no loop, if sums have another type than c, or if b is
/// read by positions.
std::optional<MatmulNest> asProduct(Contraction contraction);

/// Most rows of a stream. Their sums wait in L1, and their factors share the registers of 8 or 16 rows of the matrix.
/// Not tuned.
inline constexpr int64_t mostStreamRows = 4;

/// At most `mostStreamRows` rows times a matrix b that is read once in place, along n or along k. m counts the rows;
/// with one row its extent is 1. c is contiguous along n, and there are no `columns` and no `depth`. Nullopt if the
/// contraction is no such product.
std::optional<MatmulNest> asStream(Contraction contraction);

/// The product as tiles compute it: a loop of `outer` that only b counts becomes one of the columns if tiles have
/// fuller registers then.
MatmulNest forTiles(MatmulNest product);

/// Products of a table's slices with the rows that chose each: c[outer, row, n] = sum over k of a[outer, row, k] *
/// table[outer, position(row)][k, n]. `product` has n, k (with `slow` and `depth`) and `outer`; its m counts nothing.
/// `rows` are loops that only a or the positions count.
struct GroupedNest {
  MatmulNest product;
  llvm::SmallVector<LoopDim> rows;
  TablePart part;

  int64_t rowCount() const;
};

/// Most slices of a table, and most rows, for grouping by slice. Their numbers are 32-bit integers in a kernel's
/// scratch: 64 KiB and twice 128 KiB, which leaves room for panels in the 512 KiB of `stackLimit`.
inline constexpr int64_t mostParts = 1 << 14, mostGroupedRows = 1 << 15;

/// The grouped form of a contraction whose b is read by positions; nullopt if rows that chose one slice have no product
/// in common, or there are too many.
std::optional<GroupedNest> asGrouped(Contraction contraction);

} // namespace plc::ein

#endif

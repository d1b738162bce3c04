//===- Tile.h - code of register tiles --------------------------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_TILE_H
#define PLC_LIB_CODEGEN_TILE_H

#include "Packing.h"
#include "plc/Analysis/ScatteredProducts.h"

namespace plc::codegen {

/// A vector of columns that is stored in two runs. For each run: the offset from the row's begin at which lane 0 is, or
/// would be, and a mask of its lanes.
struct SplitLanes {
  mlir::Value first, second;
  mlir::Value inFirst, inSecond;
};

/// Most rows of a tile. Without it a tile one vector wide would have 24, and load an element of a for each fma.
inline constexpr int64_t tallest = 12;

/// Emits tiles: `height` rows by the vectors of a panel, with one register for each vector of sums.
class TileCode {
public:
  TileCode(KernelWriter &writer, mlir::Type element);

  /// Elements of a vector, vectors of a full panel, and registers for sums: see the constructor.
  int64_t lanes, vectors, accumulators;

  int64_t width() const { return lanes * vectors; }
  /// A full panel, and the last panel of `columns` columns, which may be ragged.
  Panel full() const { return {lanes, vectors, width()}; }
  Panel last(int64_t columns) const;
  /// Rows of a tile of this panel: as many as registers hold sums for, or both chains of each with `pairs`.
  int64_t heightOf(const Panel &panel, bool pairs = false) const;

  /// Writes panel `number` of `columns` columns, with one branch for the ragged last panel.
  void forPanel(int64_t columns, mlir::Value number, llvm::function_ref<void(const Panel &)> write);

  using OffsetOfRow = llvm::function_ref<mlir::Value(int64_t)>;
  /// How each vector of a panel is stored in a row; empty: as neighbours.
  using SplitRow = llvm::ArrayRef<SplitLanes>;
  /// Sums that start from 0, or from memory.
  llvm::SmallVector<mlir::Value> zeros(int64_t height, const Panel &panel);
  llvm::SmallVector<mlir::Value> loadSums(mlir::Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                                          SplitRow split = {});
  /// Sums from memory if `adds` (an i1), else zeros.
  llvm::SmallVector<mlir::Value> startSums(mlir::Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                                           mlir::Value adds, SplitRow split = {});

  /// How a product is added to a sum.
  enum class Adds {
    fused,   // fma: rounded once
    rounded, // the product is rounded, then the sum
  };
  /// Adds, for each row, the element of `a` at left(row) times the row of b at `offset`. In a packed b all lanes exist.
  void addProducts(llvm::MutableArrayRef<mlir::Value> sums, const Panel &panel, mlir::Value a, OffsetOfRow left,
                   const Factor &b, mlir::Value offset, bool packed, Adds adds = Adds::fused);

  using Step = llvm::function_ref<void(mlir::Value k, llvm::MutableArrayRef<mlir::Value> sums)>;
  /// The sums after `count` steps; the loop is unrolled by two.
  llvm::SmallVector<mlir::Value> sumSteps(int64_t count, llvm::SmallVector<mlir::Value> sums, Step step);

  /// Adds `size` steps to memory in blocks of pairs. The first block starts from 0 unless `adds`.
  void addPairs(mlir::Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel, int64_t size, mlir::Value adds,
                Step step, SplitRow split = {});

  /// Prefetches the rows that sums are written to; `places` has the offset of each vector in a row (empty: neighbours).
  void prefetch(mlir::Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                llvm::ArrayRef<mlir::Value> places = {});
  void storeSums(mlir::Value to, OffsetOfRow rowAt, const Panel &panel, llvm::ArrayRef<mlir::Value> sums,
                 SplitRow split = {});
  /// Adds the sums to memory if `adds` (an i1), else stores them.
  void writeSums(mlir::Value to, OffsetOfRow rowAt, const Panel &panel, llvm::ArrayRef<mlir::Value> sums,
                 mlir::Value adds, SplitRow split = {});

private:
  mlir::Value inRow(mlir::Value row, int64_t vector);

  KernelWriter &w;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
};

/// An if, with an optional else.
void either(KernelWriter &writer, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = {});

/// fitsAmx: whether the matrix unit can compute the product, and the options allow it. writeAmxTiles: the product by
/// its tiles.
bool fitsAmx(const KernelWriter &writer, const ein::MatmulNest &product);
void writeAmxTiles(KernelWriter &writer, ein::MatmulNest product);
void writeAmxTiles(KernelWriter &writer, ein::GroupedNest nest);

/// Writes a few rows times a matrix that is read once (Stream.cpp).
void writeStream(KernelWriter &writer, ein::MatmulNest product);

/// Writes sums of outer products at positions, those of one position together (WriteScatteredProducts.cpp).
void writeScatteredProducts(KernelWriter &writer, ein::ScatterAddOp op, const ein::ScatteredProducts &products);

/// Writes a contraction that reads a table by positions, rows that chose one slice together (GroupedTiles.cpp).
void writeGroupedTiles(KernelWriter &writer, ein::GroupedNest nest);

} // namespace plc::codegen

#endif

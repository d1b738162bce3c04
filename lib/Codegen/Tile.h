//===- Tile.h - a tile of registers -----------------------------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_TILE_H
#define PLC_LIB_CODEGEN_TILE_H

#include "Packing.h"
#include "plc/Analysis/ScatteredProducts.h"

namespace plc::codegen {

/// Lanes of a vector that lie in memory in two runs: where lane 0 lies, or would lie, from the begin of the row for each, and
/// the lanes of it (masks).
struct SplitLanes {
  mlir::Value first, second;
  mlir::Value inFirst, inSecond;
};

/// Rows of a tile, at most.
inline constexpr int64_t tallest = 12;

/// The code of tiles: `height` rows by the vectors of a panel, a sum in each register.
class TileCode {
public:
  TileCode(KernelWriter &writer, mlir::Type element);

  int64_t lanes, vectors, accumulators;

  int64_t width() const { return lanes * vectors; }
  /// The panel of `columns` that begins at a multiple of `width`, if it is the last, else a full one.
  Panel full() const { return {lanes, vectors, width()}; }
  Panel last(int64_t columns) const;
  /// Rows of a tile of this panel, whose sums, or both chains of each, the registers hold.
  int64_t heightOf(const Panel &panel, bool pairs = false) const;

  /// Writes panel `number` of so many columns, known as the last one or a full one.
  void forPanel(int64_t columns, mlir::Value number, llvm::function_ref<void(const Panel &)> write);

  using OffsetOfRow = llvm::function_ref<mlir::Value(int64_t)>;
  /// How each vector of a panel lies in a row of memory; empty: as neighbours.
  using SplitRow = llvm::ArrayRef<SplitLanes>;
  /// Sums from 0, or from what lies in memory.
  llvm::SmallVector<mlir::Value> zeros(int64_t height, const Panel &panel);
  llvm::SmallVector<mlir::Value> loadSums(mlir::Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                                          SplitRow split = {});
  /// What lies in memory if `adds`, else zeros.
  llvm::SmallVector<mlir::Value> startSums(mlir::Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                                           mlir::Value adds, SplitRow split = {});

  /// How a product is added to a sum.
  enum class Adds {
    fused,   // rounded once
    rounded, // the product is rounded first
  };
  /// Adds the products of the elements at `left` of memory a, one for each row, with the panel's row at `offset` of b, in
  /// which all lanes exist if it is `packed`.
  void addProducts(llvm::MutableArrayRef<mlir::Value> sums, const Panel &panel, mlir::Value a, OffsetOfRow left,
                   const Factor &b, mlir::Value offset, bool packed, Adds adds = Adds::fused);

  using Step = llvm::function_ref<void(mlir::Value k, llvm::MutableArrayRef<mlir::Value> sums)>;
  /// The sums behind `count` steps, two in a turn of the loop.
  llvm::SmallVector<mlir::Value> sumSteps(int64_t count, llvm::SmallVector<mlir::Value> sums, Step step);

  /// Adds `size` steps to what lies in memory, or to 0 for the first block unless `adds`, in blocks of pairs.
  void addPairs(mlir::Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel, int64_t size, mlir::Value adds,
                Step step, SplitRow split = {});

  /// Asks for rows of memory that sums are written to, where each vector lies there (empty: as neighbours).
  void prefetch(mlir::Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                llvm::ArrayRef<mlir::Value> places = {});
  void storeSums(mlir::Value to, OffsetOfRow rowAt, const Panel &panel, llvm::ArrayRef<mlir::Value> sums,
                 SplitRow split = {});
  /// Adds them to what lies there if `adds` (an i1), else stores them.
  void writeSums(mlir::Value to, OffsetOfRow rowAt, const Panel &panel, llvm::ArrayRef<mlir::Value> sums,
                 mlir::Value adds, SplitRow split = {});

private:
  mlir::Value inRow(mlir::Value row, int64_t vector);

  KernelWriter &w;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
};

/// A branch.
void either(KernelWriter &writer, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = {});

/// Whether the matrix unit can compute a product, if code may use it; and the product by its tiles.
bool fitsAmx(const KernelWriter &writer, const ein::MatmulNest &product);
void writeAmxTiles(KernelWriter &writer, ein::MatmulNest product);
void writeAmxTiles(KernelWriter &writer, ein::GroupedNest nest);

/// A few rows times a matrix that is read once.
void writeStream(KernelWriter &writer, ein::MatmulNest product);

/// Sums of outer products at positions, those of one position together.
void writeScatteredProducts(KernelWriter &writer, ein::ScatterAddOp op, const ein::ScatteredProducts &products);

/// The products of a contraction that reads a table by positions, rows that chose one part together.
void writeGroupedTiles(KernelWriter &writer, ein::GroupedNest nest);

} // namespace plc::codegen

#endif

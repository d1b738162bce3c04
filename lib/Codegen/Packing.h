//===- Packing.h - packs panels of a contraction's factors ------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_PACKING_H
#define PLC_LIB_CODEGEN_PACKING_H

#include "Contraction.h"

namespace plc::codegen {

/// The columns that a tile computes at once: `vectors` of `lanes` elements, of which the first `columns` exist.
struct Panel {
  int64_t lanes, vectors, columns;

  int64_t width() const { return lanes * vectors; }
  /// The lanes of the vector of this number.
  Lanes lanesOf(int64_t vector) const { return {lanes, std::min(lanes, columns - vector * lanes)}; }
};

/// Offsets along a dimension that several loops count as one. A single stride if the operand's steps compose; else a
/// table of 32-bit integers in scratch.
class LoopOffsets {
public:
  LoopOffsets() = default;
  /// `loops` count the dimension, `whole` is their fastest loop, `step` selects the operand. The table holds `most`
  /// entries.
  LoopOffsets(KernelWriter &writer, llvm::ArrayRef<LoopDim> loops, LoopDim whole, int64_t LoopDim::*step, int64_t most);

  /// Fills the table with the offsets of `count` numbers from `first` on; the last ones may be beyond the loops.
  void fill(KernelWriter &writer, mlir::Value first, mlir::Value count) const;
  void fill(KernelWriter &writer, mlir::Value first, int64_t count) const;
  /// The offset of the i-th number of the last `fill`; relative to the first without a table.
  mlir::Value at(KernelWriter &writer, mlir::Value i) const;
  /// The offsets of `lanes` numbers from the i-th on, as a vector.
  mlir::Value lanesAt(KernelWriter &writer, mlir::Value i, int64_t lanes) const;
  bool isTable() const { return bool(table); }
  /// Whether consecutive numbers are neighbours in memory.
  bool isRun() const { return !table && stride == 1; }
  /// The offset of number `first`, without a table; null with one, whose entries include it.
  mlir::Value begin(KernelWriter &writer, mlir::Value first) const;

private:
  llvm::SmallVector<LoopDim> loops;
  int64_t LoopDim::*step = nullptr;
  int64_t stride = 0; // without a table
  mlir::Value table;
};

/// The location of a panel of b: its rows start at offset + rows.at(k), its columns at columns.at(before + column).
struct PanelSource {
  mlir::Value offset;
  LoopOffsets rows, columns;
  mlir::Value first;  // the panel's first column of the product
  mlir::Value before; // the panel's first number in `columns`; null: 0
};

/// Copies `size` rows of a panel of b to `scratch` from offset `to` on (null: 0), as rows of panel.width() elements.
/// Lanes beyond the last column hold anything.
void packPanel(KernelWriter &writer, const MatmulNest &product, const PanelSource &source, int64_t size,
               const Panel &panel, mlir::Value scratch, mlir::Value to = {});

/// Widens `height` rows of `size` narrow elements each to `scratch`, in rows of `apart` elements. `rowAt` gives their
/// offsets.
void widenRows(KernelWriter &writer, const Factor &from, llvm::function_ref<mlir::Value(int64_t)> rowAt,
               const LoopOffsets &depth, int64_t size, int64_t height, Lanes lanes, mlir::Value scratch, int64_t apart);

/// Transposes a square of vectors, as many as each has lanes (a power of two).
void turnSquare(mlir::ImplicitLocOpBuilder &builder, llvm::MutableArrayRef<mlir::Value> square);

} // namespace plc::codegen

#endif

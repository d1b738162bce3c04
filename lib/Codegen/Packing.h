//===- Packing.h - panels of a contraction's second operand -----*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_PACKING_H
#define PLC_LIB_CODEGEN_PACKING_H

#include "Contraction.h"

namespace plc::codegen {

/// Columns that a tile computes at once: `vectors` of `lanes` elements, of which the first `columns` exist.
struct Panel {
  int64_t lanes, vectors, columns;

  int64_t width() const { return lanes * vectors; }
  /// The lanes of one of the vectors.
  Lanes lanesOf(int64_t vector) const { return {lanes, std::min(lanes, columns - vector * lanes)}; }
};

/// Offsets of what several loops count as one, in a table of 32-bit integers; or one step, if an operand walks the loops
/// as one.
class LoopOffsets {
public:
  LoopOffsets() = default;
  /// `most`: entries that are asked for at once.
  LoopOffsets(KernelWriter &writer, llvm::ArrayRef<LoopDim> loops, LoopDim whole, int64_t LoopDim::*step, int64_t most);

  /// Writes the offsets of `count` numbers from `first` on, of which some at the end may lie behind the loops.
  void fill(KernelWriter &writer, mlir::Value first, mlir::Value count) const;
  void fill(KernelWriter &writer, mlir::Value first, int64_t count) const;
  /// The offset of the i-th of them.
  mlir::Value at(KernelWriter &writer, mlir::Value i) const;
  /// Those of the lanes from the i-th on, as a vector.
  mlir::Value lanesAt(KernelWriter &writer, mlir::Value i, int64_t lanes) const;
  bool isTable() const { return bool(table); }
  /// Whether they are neighbours.
  bool isRun() const { return !table && stride == 1; }
  /// Offset of the first number that `fill` was told, where no table says it.
  mlir::Value begin(KernelWriter &writer, mlir::Value first) const;

private:
  llvm::SmallVector<LoopDim> loops;
  int64_t LoopDim::*step = nullptr;
  int64_t stride = 0; // without a table
  mlir::Value table;
};

/// Where the elements of a panel of b lie, from the first of `columns`.
struct PanelSource {
  mlir::Value offset;
  LoopOffsets rows, columns;
  mlir::Value first;  // column of the product with which the panel begins
  mlir::Value before; // columns of `columns` before it; null: none
};

/// Copies `size` rows of a panel of b to `scratch`, from `to` on (null: its begin), as rows of panel.width() elements; what
/// lies behind the last column holds anything.
void packPanel(KernelWriter &writer, const MatmulNest &product, const PanelSource &source, int64_t size,
               const Panel &panel, mlir::Value scratch, mlir::Value to = {});

/// Widens `height` rows of `size` narrow elements each, which begin where `rowAt` says, to `scratch`: rows of `apart` elements.
void widenRows(KernelWriter &writer, const Factor &from, llvm::function_ref<mlir::Value(int64_t)> rowAt,
               const LoopOffsets &depth, int64_t size, int64_t height, Lanes lanes, mlir::Value scratch, int64_t apart);

/// Turns a square of as many vectors as they have lanes: rows become columns.
void turnSquare(mlir::ImplicitLocOpBuilder &builder, llvm::MutableArrayRef<mlir::Value> square);

} // namespace plc::codegen

#endif

//===- RowGroups.h - rows grouped by their slice of a table -----*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_ROWGROUPS_H
#define PLC_LIB_CODEGEN_ROWGROUPS_H

#include "Contraction.h"

namespace plc::codegen {

/// Numbers of rows, sorted by the position that each row holds, ascending within a position. A counting sort in
/// scratch, in O(rows + positions): Knuth, The Art of Computer Programming, volume 3, section 5.2.
class RowGroups {
public:
  /// `rows` are the loops that count rows, slowest first; `access` is the number of the table's access.
  RowGroups(KernelWriter &writer, const ein::TablePart &part, llvm::ArrayRef<LoopDim> rows, unsigned access);

  /// Emits the sort. Positions are checked, so each is a valid index of the table.
  void sort();
  /// Calls `body` for each position, with the range [begin, end) of its rows in the sorted order.
  void forEachPart(llvm::function_ref<void(mlir::Value part, mlir::Value begin, mlir::Value end)> body);
  /// The offsets of the i-th row in the sorted order, relative to `from`.
  Offsets rowAt(mlir::Value i, Offsets from);

private:
  mlir::Value load(mlir::Value memory, mlir::Value at);
  void store(mlir::Value value, mlir::Value memory, mlir::Value at);

  KernelWriter &w;
  ein::TablePart part;
  llvm::SmallVector<LoopDim> rows;
  unsigned access;
  int64_t count = 1;
  mlir::Value chosen, order, ends; // position of each row; rows in order; ends[p]: first row of position p
};

} // namespace plc::codegen

#endif

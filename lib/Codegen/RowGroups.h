//===- RowGroups.h - rows that chose one part of a table together -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_ROWGROUPS_H
#define PLC_LIB_CODEGEN_ROWGROUPS_H

#include "Contraction.h"

namespace plc::codegen {

/// The numbers of rows, sorted by the position that each holds, those of one position ascending: a counting sort in
/// scratch, O(rows + positions).
class RowGroups {
public:
  /// Rows are counted by `rows`, slowest first; `access` is the one of the table.
  RowGroups(KernelWriter &writer, const ein::TablePart &part, llvm::ArrayRef<LoopDim> rows, unsigned access);

  void sort();
  /// Calls `body` for each position, with it and with the numbers in order of the first of its rows and of the next
  /// position's.
  void forEachPart(llvm::function_ref<void(mlir::Value part, mlir::Value begin, mlir::Value end)> body);
  /// Where the row that is the i-th in order lies, from `from` on.
  Offsets rowAt(mlir::Value i, Offsets from);

private:
  mlir::Value load(mlir::Value memory, mlir::Value at);
  void store(mlir::Value value, mlir::Value memory, mlir::Value at);

  KernelWriter &w;
  ein::TablePart part;
  llvm::SmallVector<LoopDim> rows;
  unsigned access;
  int64_t count = 1;
  mlir::Value chosen, order, ends; // of rows, of numbers in order, of positions from one before the first on
};

} // namespace plc::codegen

#endif

//===- AmxUnit.h - operations of the matrix unit ----------------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_AMXUNIT_H
#define PLC_LIB_CODEGEN_AMXUNIT_H

#include "KernelWriter.h"

#include <optional>

namespace plc::codegen {

/// Emits loads, stores and products of tiles: intrinsics of the unit, or, for tests on CPUs that have none
/// (`emulatesAmx`), vectors that add the same products in the same order.
class AmxUnit {
public:
  /// A tile is one SSA value of the unit's type. If it is emulated, it is 16 vectors.
  using Tile = llvm::SmallVector<mlir::Value>;
  /// Rows of a tile, and columns of one of sums.
  static constexpr int64_t edge = 16;

  /// Tiles of sums have elements of type `sum`.
  AmxUnit(KernelWriter &writer, mlir::Type sum) : w(writer), b(writer.b), sum(sum) {}

  /// Loads a tile whose rows are `apart` elements apart.
  Tile loadTile(mlir::Value memory, mlir::Value offset, int64_t apart, llvm::StringRef load = "tileloadd64");
  /// Loads without keeping the lines in L1, where the rows of a shall stay.
  Tile streamTile(mlir::Value memory, mlir::Value offset, int64_t apart);
  void storeTile(const Tile &tile, mlir::Value memory, mlir::Value offset, int64_t apart);
  Tile zeroTile();
  /// c + left * right: `left` has 16 rows of 32 elements, `right` 16 rows of pairs.
  Tile addProducts(const Tile &c, const Tile &left, const Tile &right);

private:
  mlir::Value address(mlir::Value memory, mlir::Value offset);
  static int64_t bytesOf(mlir::Value memory);
  mlir::Value call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands, bool gives = true);
  mlir::Value number(int64_t value, unsigned bits);
  mlir::Value widened(mlir::Value held);

  KernelWriter &w;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type sum;
  struct Emulated {
    mlir::Value sums, a, pairs;
  };
  std::optional<Emulated> emulated;
};

} // namespace plc::codegen

#endif

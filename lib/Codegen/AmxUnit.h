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
  /// A tile is a value of the unit; if it is emulated, its 16 rows.
  using Tile = llvm::SmallVector<mlir::Value>;
  /// Rows of a tile, and columns of one of sums.
  static constexpr int64_t edge = 16;

  /// Of sums of a type.
  AmxUnit(KernelWriter &writer, mlir::Type sum) : w(writer), b(writer.b), sum(sum) {}

  /// Rows that lie so many elements apart.
  Tile loadTile(mlir::Value memory, mlir::Value offset, int64_t apart, llvm::StringRef load = "tileloadd64");
  /// Past the first cache, where the rows of a shall stay.
  Tile streamTile(mlir::Value memory, mlir::Value offset, int64_t apart);
  void storeTile(const Tile &tile, mlir::Value memory, mlir::Value offset, int64_t apart);
  Tile zeroTile();
  /// c and the products of 16 rows by 32 elements with a tile of pairs.
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

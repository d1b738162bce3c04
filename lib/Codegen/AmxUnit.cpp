//===- AmxUnit.cpp - operations of the matrix unit -------------------------===//
#include "AmxUnit.h"

#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::pairBlock;

// A row of every tile: 32 bf16, or 16 sums of 4 bytes.
static constexpr int64_t rowBytes = 2 * pairBlock;

// The unit's intrinsics take raw pointers and byte strides.
Value AmxUnit::address(Value memory, Value offset) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto asInteger = [&](Value index) -> Value { return arith::IndexCastOp::create(b, b.getI64Type(), index); };
  // Through an integer: the memref dialect gives a pointer as an index alone.
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  base = LLVM::IntToPtrOp::create(b, pointer, asInteger(base));
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base, ValueRange{asInteger(w.times(offset, bytesOf(memory)))});
}

int64_t AmxUnit::bytesOf(Value memory) {
  return cast<MemRefType>(memory.getType()).getElementType().getIntOrFloatBitWidth() / 8;
}

// Calls an AMX intrinsic on full tiles (16 rows of 64 bytes); LLVM assigns registers and configuration.
Value AmxUnit::call(StringRef name, ArrayRef<Value> operands, bool gives) {
  // Every intrinsic begins with rows and bytes of a row, which are those of a full tile.
  SmallVector<Value> all{number(edge, 16), number(rowBytes, 16)};
  llvm::append_range(all, operands);
  auto intrinsic = b.getStringAttr("llvm.x86." + name + ".internal");
  if (!gives)
    return LLVM::CallIntrinsicOp::create(b, intrinsic, all), Value();
  return LLVM::CallIntrinsicOp::create(b, LLVM::LLVMX86AMXType::get(b.getContext()), intrinsic, all)->getResult(0);
}

Value AmxUnit::number(int64_t value, unsigned bits) {
  return LLVM::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

// Loads a tile whose rows are `apart` elements apart.
AmxUnit::Tile AmxUnit::loadTile(Value memory, Value offset, int64_t apart, StringRef load) {
  if (!w.options.emulatesAmx)
    return {call(load, {address(memory, offset), number(apart * bytesOf(memory), 64)})};
  // Emulated: a row is one vector of 64 bytes, whatever its elements.
  auto type = VectorType::get({rowBytes / bytesOf(memory)}, cast<MemRefType>(memory.getType()).getElementType());
  Tile rows;
  for (int64_t i = 0; i < edge; ++i)
    rows.push_back(vector::LoadOp::create(b, type, memory, ValueRange{w.plus(offset, w.index(i * apart))}));
  return rows;
}
// Loads without keeping the lines in L1, where the rows of a shall stay. Measured with drafts in C on a Xeon with AMX:
// whole products gain 0.12 to 0.18 of the unit's peak.
AmxUnit::Tile AmxUnit::streamTile(Value memory, Value offset, int64_t apart) {
  return loadTile(memory, offset, apart, "tileloaddt164");
}

void AmxUnit::storeTile(const Tile &tile, Value memory, Value offset, int64_t apart) {
  if (!w.options.emulatesAmx) {
    call("tilestored64", {address(memory, offset), number(apart * bytesOf(memory), 64), tile[0]}, /*gives=*/false);
    return;
  }
  for (auto [i, row] : llvm::enumerate(tile))
    vector::StoreOp::create(b, row, memory, ValueRange{w.plus(offset, w.index(i * apart))});
}

// The bits of a bf16, as f32.
Value AmxUnit::widened(Value held) { return castElement(b, held, sum, b.getBF16Type()); }
AmxUnit::Tile AmxUnit::zeroTile() {
  if (!w.options.emulatesAmx)
    return {call("tilezero", {})};
  return Tile(edge, arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({edge}, sum))));
}

// c + left * right, 32 summed elements for each of the 16 x 16 sums.
AmxUnit::Tile AmxUnit::addProducts(const Tile &c, const Tile &left, const Tile &right) {
  if (!w.options.emulatesAmx)
    return {call("tdpbf16ps", {number(rowBytes, 16), c[0], left[0], right[0]})};
  // Emulation loops over memory instead of unrolling 16 x 16 sums: there is less code to compile.
  if (!emulated)
    emulated = {w.scratch(edge * edge, sum), w.scratch(edge * pairBlock, b.getI16Type()),
                w.scratch(edge * pairBlock, b.getI16Type())};
  auto [sums, a, pairs] = *emulated;
  storeTile(c, sums, w.index(0), edge);
  storeTile(left, a, w.index(0), pairBlock);
  storeTile(right, pairs, w.index(0), pairBlock);
  // The unit sums the first and the second elements of the pairs in two chains, so the emulation does, too.
  SmallVector<int64_t> half[2];
  for (int64_t i = 0; i < pairBlock; ++i)
    half[i % 2].push_back(i);
  w.loop(w.index(0), w.index(edge), 1, {}, [&, sums = sums, a = a, pairs = pairs](Value i, ValueRange) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({edge}, sum)));
    auto chains = w.loop(w.index(0), w.index(edge), 1, {zero, zero}, [&](Value pair, ValueRange carried) {
      Value row = vector::LoadOp::create(b, VectorType::get({pairBlock}, b.getI16Type()), pairs,
                                         ValueRange{w.times(pair, pairBlock)});
      SmallVector<Value> next;
      for (int64_t odd : {0, 1}) {
        Value at = w.plus(w.times(i, pairBlock), w.plus(w.times(pair, 2), w.index(odd)));
        Value one = widened(memref::LoadOp::create(b, a, ValueRange{at}));
        Value factors = widened(vector::ShuffleOp::create(b, row, row, half[odd]));
        next.push_back(math::FmaOp::create(b, w.broadcast(one, {edge, edge}), factors, carried[odd]));
      }
      return next;
    });
    // Both chains started from 0; they are added, then added to c.
    Value at = w.times(i, edge), before = w.load(sums, sum, at, 1, {edge, edge});
    w.store(arith::AddFOp::create(b, before, arith::AddFOp::create(b, chains[0], chains[1])), sums, at, 1,
            {edge, edge});
    return SmallVector<Value>();
  });
  return loadTile(sums, w.index(0), edge);
}

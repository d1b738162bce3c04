//===- Tile.cpp - code of register tiles ----------------------------------===//
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

// 6 rows by 4 vectors with AVX-512, 6 by 2 with AVX2: the sums leave registers for the row of b and a broadcast.
// Measured with a prototype in L1 on a Zen 5 CPU, as fractions of the fma peak: 6x64 0.95 to 0.99; 8x48, 12x32 and 4x64
// 0.97; 2x64 0.87; 7x64 0.66 to 0.84; 13x32 and 14x32 0.37 to 0.45.
TileCode::TileCode(KernelWriter &writer, Type element) : w(writer), b(writer.b), element(element) {
  bool wide = w.options.vectorBits == 512;
  lanes = w.options.vectorBits / element.getIntOrFloatBitWidth();
  vectors = wide ? 4 : 2;
  accumulators = wide ? 24 : 12; // of 32 and 16 registers
}

Panel TileCode::last(int64_t columns) const {
  int64_t rest = columns % width();
  return rest ? Panel{lanes, int64_t(llvm::divideCeil(rest, lanes)), rest} : full();
}

// No branch if all panels have the same code.
void TileCode::forPanel(int64_t columns, Value number, llvm::function_ref<void(const Panel &)> write) {
  int64_t panels = llvm::divideCeil(columns, width());
  // A single panel is always the last one; a full last panel has the code of all.
  if (panels == 1 || last(columns).columns == width())
    return write(last(columns));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, w.index(panels - 1));
  either(w, isLast, [&] { write(last(columns)); }, [&] { write(full()); });
}

int64_t TileCode::heightOf(const Panel &panel, bool pairs) const {
  // Pairs need two chains for each sum, so half as many rows.
  return std::min(accumulators / (panel.vectors * (pairs ? 2 : 1)), tallest);
}

SmallVector<Value> TileCode::zeros(int64_t height, const Panel &panel) {
  auto type = VectorType::get({lanes}, element);
  return SmallVector<Value>(height * panel.vectors, arith::ConstantOp::create(b, b.getZeroAttr(type)));
}

SmallVector<Value> TileCode::startSums(Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel, Value adds,
                                       SplitRow split) {
  // A vacant accumulator is read, and its values are not used.
  SmallVector<Value> sums = loadSums(from, rowAt, height, panel, split);
  for (auto [sum, zero] : llvm::zip(sums, zeros(height, panel)))
    sum = arith::SelectOp::create(b, adds, sum, zero);
  return sums;
}

SmallVector<Value> TileCode::loadSums(Value from, OffsetOfRow rowAt, int64_t height, const Panel &panel,
                                      SplitRow split) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < height; ++i)
    for (int64_t v = 0; v < panel.vectors; ++v) {
      if (split.empty()) {
        sums.push_back(w.load(from, element, inRow(rowAt(i), v), 1, panel.lanesOf(v)));
        continue;
      }
      auto type = VectorType::get({lanes}, element);
      Value read = arith::ConstantOp::create(b, b.getZeroAttr(type));
      // Two masked loads into one vector: the second keeps the lanes of the first.
      for (auto [at, mask] : {std::pair(split[v].first, split[v].inFirst), {split[v].second, split[v].inSecond}})
        read = vector::MaskedLoadOp::create(b, type, from, ValueRange{w.plus(rowAt(i), at)}, mask, read);
      sums.push_back(read);
    }
  return sums;
}

// Loads the row of b once, then one broadcast for each row of a: vectors + 1 registers beside the sums.
void TileCode::addProducts(MutableArrayRef<Value> sums, const Panel &panel, Value a, OffsetOfRow left,
                           const Factor &from, Value offset, bool packed, Adds adds) {
  SmallVector<Value> right;
  for (int64_t v = 0; v < panel.vectors; ++v)
    // A packed panel is filled up to whole vectors, so it needs no mask.
    right.push_back(from.load(w, element, inRow(offset, v), 1, packed ? Lanes{lanes, lanes} : panel.lanesOf(v)));
  for (int64_t i = 0, height = int64_t(sums.size()) / panel.vectors; i < height; ++i) {
    Value one = w.broadcast(w.load(a, element, left(i), 0, {}), {lanes, lanes});
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value &sum = sums[i * panel.vectors + v];
      // The numerics fix which of the two it is, since their bits differ.
      sum = adds == Adds::fused ? Value(math::FmaOp::create(b, one, right[v], sum))
                                : Value(arith::AddFOp::create(b, sum, arith::MulFOp::create(b, one, right[v])));
    }
  }
}

SmallVector<Value> TileCode::sumSteps(int64_t count, SmallVector<Value> sums, Step step) {
  // Unrolled by two, as the prototype on a Zen 5 CPU that reached 0.9 of the peak. By 16 it fell to 0.80 to 0.94 on
  // packed panels, and to 0.43 to 0.61 on rows with run-time strides.
  constexpr int64_t unrolled = 2;
  int64_t whole = count / unrolled * unrolled;
  if (whole)
    sums = w.loop(w.index(0), w.index(whole), unrolled, sums, [&](Value k, ValueRange carried) {
      SmallVector<Value> next(carried);
      for (int64_t i = 0; i < unrolled; ++i)
        step(i ? w.plus(k, w.index(i)) : k, next);
      return next;
    });
  for (int64_t k = whole; k < count; ++k)
    step(w.index(k), sums);
  return sums;
}

// Each block: both chains from 0, one step for each of a pair, products of zeros at the end, then c + (even + odd).
void TileCode::addPairs(Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel, int64_t size, Value adds,
                        Step step, SplitRow split) {
  auto block = [&](Value first, int64_t count, Value goesOn) {
    int64_t sums = height * panel.vectors;
    auto half = [&](MutableArrayRef<Value> both, int64_t odd) { return both.slice(odd * sums, sums); };
    SmallVector<Value> both = zeros(2 * height, panel);
    both = sumSteps(count / 2, std::move(both), [&](Value pair, MutableArrayRef<Value> into) {
      Value even = w.plus(first, w.times(pair, 2));
      step(even, half(into, 0));
      step(w.plus(even, w.index(1)), half(into, 1));
    });
    // The last element of an odd count belongs to the even chain.
    if (count % 2)
      step(w.plus(first, w.index(count - 1)), half(both, 0));
    endChains(w, half(both, 0), half(both, 1), count);
    SmallVector<Value> before = startSums(to, rowAt, height, panel, goesOn, split);
    for (int64_t i = 0; i < sums; ++i)
      before[i] = arith::AddFOp::create(b, before[i], arith::AddFOp::create(b, both[i], both[sums + i]));
    storeSums(to, rowAt, panel, before, split);
  };
  forEachPairBlock(w, size, adds, block);
}

Value TileCode::inRow(Value row, int64_t vector) { return w.plus(row, w.index(vector * lanes)); }

// Brings the rows of c into L1 ahead of the stores.
void TileCode::prefetch(Value to, OffsetOfRow rowAt, int64_t height, const Panel &panel, ArrayRef<Value> places) {
  for (int64_t i = 0; i < height; ++i)
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value at = places.empty() ? inRow(rowAt(i), v) : w.plus(rowAt(i), places[v]);
      memref::PrefetchOp::create(b, to, ValueRange{at}, /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
    }
}

// A vector in two runs is two masked stores.
void TileCode::storeSums(Value to, OffsetOfRow rowAt, const Panel &panel, ArrayRef<Value> sums, SplitRow split) {
  for (int64_t i = 0, height = int64_t(sums.size()) / panel.vectors; i < height; ++i)
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value sum = sums[i * panel.vectors + v];
      if (split.empty()) {
        w.store(sum, to, inRow(rowAt(i), v), 1, panel.lanesOf(v));
        continue;
      }
      for (auto [at, mask] : {std::pair(split[v].first, split[v].inFirst), {split[v].second, split[v].inSecond}})
        vector::MaskedStoreOp::create(b, to, ValueRange{w.plus(rowAt(i), at)}, mask, sum);
    }
}

void TileCode::writeSums(Value to, OffsetOfRow rowAt, const Panel &panel, ArrayRef<Value> sums, Value adds,
                         SplitRow split) {
  auto add = [&] {
    SmallVector<Value> total = loadSums(to, rowAt, int64_t(sums.size()) / panel.vectors, panel, split);
    for (auto [before, sum] : llvm::zip(total, sums))
      before = arith::AddFOp::create(b, before, sum);
    storeSums(to, rowAt, panel, total, split);
  };
  either(w, adds, add, [&] { storeSums(to, rowAt, panel, sums, split); });
}

void codegen::either(KernelWriter &w, Value condition, llvm::function_ref<void()> then,
                     llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(w.b, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPoint(branch.thenYield());
  then();
  if (!otherwise)
    return;
  w.b.setInsertionPoint(branch.elseYield());
  otherwise();
}

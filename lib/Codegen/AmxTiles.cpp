//===- AmxTiles.cpp - contractions of bf16 by tiles of the matrix unit ------===//
//
// TDPBF16PS adds 32 products to each of 16 x 16 sums, as a block of pairs has them. Four tiles of c are in registers, of 32 rows by 32
// columns, for up to 512 summed elements:
//
//   for each group of panels of b, for the rows of a chunk       (units: parts of the rows)
//     for each 512 summed elements
//       pack the panels' rows of b, in pairs
//       for each 32 rows of a (packed before, if they do not lie along k), for each panel
//         c = c + a b: two tiles by two, 32 elements a step
//
// Every tile has its full size: rows, columns and elements that do not exist are zeros in what is packed, and tiles of c at the edges
// are copied. So there is one configuration, and a block that is not full is filled with products of zeros, as it must be.
//
//===----------------------------------------------------------------------===//
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::pairBlock;

namespace {

constexpr int64_t edge = 16;           // rows of a tile, and columns of one of c
constexpr int64_t twoTiles = 2 * edge; // rows and columns that are summed at once
constexpr int64_t tileElements = edge * pairBlock;
constexpr int64_t smallestPart = 64, enoughUnits = 24; // for parts of one chunk b is packed once
// Rows of a lie in the first cache, b in the second: on a Xeon with AMX and 2 MB of it, drafts in C reached 0.74 to 0.85 of the unit's peak
// with 512 summed elements in registers, 0.68 to 0.73 with 256.
constexpr int64_t summed = 512, groupBytes = 512 << 10;

class AmxWriter {
public:
  AmxWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), rowsOfA(writer, x.a), rowsOfB(writer, x.b),
        sum(cast<RankedTensorType>(x.c.getType()).getElementType()) {}

  void run() {
    int64_t sums = std::min(x.k.extent, summed), steps = llvm::divideCeil(sums, pairBlock);
    panels = llvm::divideCeil(x.n.extent, twoTiles);
    panelElements = steps * 2 * tileElements;
    group = std::clamp<int64_t>(groupBytes / (2 * panelElements), 1, panels);
    int64_t groups = llvm::divideCeil(panels, group), parts = chooseParts(groups);
    depthOfA = LoopOffsets(w, x.depth, x.k, &LoopDim::a, sums);
    depthOfB = LoopOffsets(w, x.depth, x.k, &LoopDim::b, sums);
    columns = LoopOffsets(w, x.columns, x.n, &LoopDim::b, group * twoTiles);
    packedB = w.scratch(group * panelElements, held());
    packedA = w.scratch(panelElements, held());
    if (!readsPairs() && !readsWords())
      plainB = w.scratch(sums * twoTiles, held());
    edgeOfC = w.scratch(twoTiles * twoTiles, sum);
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(groups);
    auto [lower, upper] = w.cut(x.units() * groups * parts);
    Value count = w.index(parts);
    w.loop(arith::DivUIOp::create(b, lower, count), arith::CeilDivUIOp::create(b, upper, count), 1, {},
           [&](Value number, ValueRange) -> SmallVector<Value> {
             // Of the group's parts those that the chunk has, for which b is packed once.
             Value before = w.times(number, parts);
             Value begin = arith::SubIOp::create(b, arith::MaxUIOp::create(b, lower, before), before);
             Value end = arith::SubIOp::create(b, arith::MinUIOp::create(b, upper, w.plus(before, count)), before);
             SmallVector<Value> at = w.delinearize(number, extents);
             Value first = w.times(at.pop_back_val(), group);
             Value behind = arith::MinUIOp::create(b, w.times(end, length), w.index(x.m.extent));
             writeUnit(moved(w, x.outer, at, firstOffsets(w, x)), w.times(begin, length), behind, first);
             return {};
           });
  }

private:
  int64_t chooseParts(int64_t groups) {
    int64_t wanted = llvm::divideCeil(std::min(chunksOf(w.kernel.getNs()), enoughUnits), x.units() * groups);
    int64_t parts = std::clamp<int64_t>(x.m.extent / smallestPart, 1, wanted);
    length = llvm::alignTo(llvm::divideCeil(x.m.extent, parts), twoTiles);
    return llvm::divideCeil(x.m.extent, length);
  }

  // How factors lie: b along n, so that two of its rows are read beside each other; b along k, in pairs; rows of a as tiles want them.
  bool readsPairs() const { return x.n.b == 1 && !columns.isTable(); }
  bool readsWords() const { return x.k.b == 1 && depthOfB.isRun() && !columns.isTable(); }
  bool readsRows() const { return depthOfA.isRun(); }
  // Rows that lie a page apart would share a few lines of the first cache.
  bool readsInPlace() const {
    constexpr int64_t farBytes = 2048;
    return readsRows() && rowsOfA.element == rowsOfA.read && 2 * x.m.a < farBytes;
  }

  Type held() { return b.getI16Type(); }

  // Rows from `row` to `rows`, and a group of panels from number `first` on.
  void writeUnit(Offsets from, Value row, Value rows, Value first) {
    Value column = w.times(first, twoTiles);
    Value count = arith::MinUIOp::create(b, arith::SubIOp::create(b, w.index(panels), first), w.index(group));
    columns.fill(w, column, w.times(count, twoTiles));
    int64_t lastColumns = x.n.extent - (panels - 1) * twoTiles, lastRows = x.m.extent % twoTiles;
    // Of the panels those that are full, and whether the last one, which is not, is among them.
    Value full = count, hasLast;
    if (lastColumns < twoTiles) {
      hasLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, w.plus(first, count), w.index(panels));
      full = arith::SubIOp::create(b, count, arith::SelectOp::create(b, hasLast, w.index(1), w.index(0)));
    }
    auto eachPanel = [&](llvm::function_ref<void(Value, int64_t)> write) {
      w.loop(w.index(0), full, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        write(number, twoTiles);
        return {};
      });
      if (hasLast)
        either(w, hasLast, [&] { write(full, lastColumns); });
    };
    forEachBlock(
        w, x, from,
        [&](const SumBlock &block) {
          Offsets at = block.at;
          depthOfA.fill(w, block.first, block.size);
          depthOfB.fill(w, block.first, block.size);
          at.a = w.plus(at.a, depthOfA.begin(w, block.first));
          at.b = w.plus(at.b, depthOfB.begin(w, block.first));
          eachPanel([&](Value number, int64_t active) { packB(at.b, column, number, block.size, active); });
          auto writeRows = [&](Value firstRow, int64_t height) {
            Offsets here = moved(w, {x.m}, {firstRow}, at);
            bool direct = readsInPlace() && height % edge == 0;
            packA(here.a, block.size, height, direct);
            eachPanel([&](Value number, int64_t active) {
              Value inC = w.plus(here.c, w.plus(column, w.times(number, twoTiles)));
              writeTiles(direct ? here.a : Value(), inC, number, block, height, active);
            });
          };
          Value whole = rows;
          if (lastRows) // of the last part
            whole = arith::MinUIOp::create(b, rows, w.index(x.m.extent - lastRows));
          w.loop(row, whole, twoTiles, {}, [&](Value firstRow, ValueRange) -> SmallVector<Value> {
            writeRows(firstRow, twoTiles);
            return {};
          });
          if (lastRows)
            either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, whole, rows),
                   [&] { writeRows(whole, lastRows); });
        },
        summed);
  }

  //===--- packing ---------------------------------------------------------===//

  // So many elements that lie beside each other, as 16 bits; zeros behind them.
  Value loadHeld(const Factor &from, Value offset, int64_t width, int64_t active) {
    if (active <= 0)
      return zeros(width);
    return from.convert(w, from.read, w.load(from.memory, from.element, offset, 1, {width, std::min(active, width)}));
  }
  Value zeros(int64_t width) { return arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({width}, held()))); }

  // Two rows as pairs of neighbours.
  Value interleave(Value even, Value odd) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < edge; ++i)
      order.append({i, edge + i});
    return vector::ShuffleOp::create(b, even, odd, order);
  }

  Value words(Value halves) { return vector::BitCastOp::create(b, VectorType::get({edge}, b.getI32Type()), halves); }

  // 16 vectors of words, rows of which become columns, to a tile.
  void storeTurned(MutableArrayRef<Value> square, Value tile, Value at) {
    turnSquare(b, square);
    for (int64_t i = 0; i < edge; ++i) {
      Value row = vector::BitCastOp::create(b, VectorType::get({pairBlock}, held()), square[i]);
      vector::StoreOp::create(b, row, tile, ValueRange{w.plus(at, w.index(i * pairBlock))});
    }
  }

  // Steps of a block, the last of which may have fewer elements.
  void eachStep(int64_t size, llvm::function_ref<void(Value step, int64_t elements)> write) {
    int64_t whole = size / pairBlock;
    if (whole)
      w.loop(w.index(0), w.index(whole), 1, {}, [&](Value step, ValueRange) -> SmallVector<Value> {
        write(step, pairBlock);
        return {};
      });
    if (size % pairBlock)
      write(w.index(whole), size % pairBlock);
  }

  // A panel of b: for each step two tiles, each of 16 rows of pairs.
  void packB(Value from, Value firstColumn, Value number, int64_t size, int64_t active) {
    Value to = w.times(number, panelElements);
    if (!readsPairs() && !readsWords()) {
      Value before = w.times(number, twoTiles);
      Panel panel{edge, llvm::divideCeil(active, edge), active};
      packPanel(w, x, {from, depthOfB, columns, w.plus(firstColumn, before), before}, size, panel, plainB);
      eachStep(size, [&](Value step, int64_t elements) {
        packPairs(to, step, elements, active, [&](Value k, int64_t tile, int64_t lanes) {
          return loadHeld({plainB, rowsOfB.read}, w.plus(w.times(k, panel.width()), w.index(tile * edge)), edge, lanes);
        });
      });
      return;
    }
    Value begin = w.plus(from, w.times(w.plus(firstColumn, w.times(number, twoTiles)), x.n.b));
    eachStep(size, [&](Value step, int64_t elements) {
      if (readsPairs())
        return packPairs(to, step, elements, active, [&](Value k, int64_t tile, int64_t lanes) {
          Value at = w.plus(w.plus(begin, depthOfB.at(w, k)), w.index(tile * edge));
          return loadHeld(rowsOfB, at, edge, lanes);
        });
      for (int64_t tile = 0; tile * edge < active; ++tile) {
        SmallVector<Value> square;
        for (int64_t i = 0; i < edge; ++i) {
          int64_t column = tile * edge + i;
          Value at = w.plus(w.plus(begin, w.times(step, pairBlock)), w.index(column * x.n.b));
          square.push_back(words(loadHeld(rowsOfB, at, pairBlock, column < active ? elements : 0)));
        }
        storeTurned(square, packedB, placeOf(to, step, tile));
      }
    });
  }

  Value placeOf(Value to, Value step, int64_t tile) {
    return w.plus(to, w.plus(w.times(step, 2 * tileElements), w.index(tile * tileElements)));
  }

  void packPairs(Value to, Value step, int64_t elements, int64_t active,
                 llvm::function_ref<Value(Value k, int64_t tile, int64_t lanes)> load) {
    Value first = w.times(step, pairBlock);
    for (int64_t tile = 0; tile * edge < active; ++tile)
      for (int64_t pair = 0; pair < edge; ++pair) {
        SmallVector<Value, 2> rows;
        for (int64_t k : {2 * pair, 2 * pair + 1})
          rows.push_back(k < elements ? load(w.plus(first, w.index(k)), tile, std::min(edge, active - tile * edge))
                                      : zeros(edge));
        vector::StoreOp::create(b, interleave(rows[0], rows[1]), packedB,
                                ValueRange{w.plus(placeOf(to, step, tile), w.index(pair * pairBlock))});
      }
  }

  // Up to 32 rows of a, as tiles of 16 rows by 32 elements; of rows that are read where they lie what is left of a step.
  void packA(Value from, int64_t size, int64_t height, bool direct) {
    auto rowAt = [&](int64_t i) { return w.plus(from, w.index(i * x.m.a)); };
    auto pack = [&](Value step, int64_t elements) {
      for (int64_t tile = 0; tile * edge < height; ++tile) {
        Value to = placeOf(w.index(0), step, tile);
        int64_t rows = std::min(edge, height - tile * edge);
        if (readsRows()) {
          for (int64_t i = 0; i < edge; ++i) {
            Value at = w.plus(rowAt(tile * edge + std::min(i, rows - 1)), w.times(step, pairBlock));
            vector::StoreOp::create(b, loadHeld(rowsOfA, at, pairBlock, i < rows ? elements : 0), packedA,
                                    ValueRange{w.plus(to, w.index(i * pairBlock))});
          }
        } else if (x.m.a == 1) {
          SmallVector<Value> square;
          for (int64_t pair = 0; pair < edge; ++pair) {
            SmallVector<Value, 2> both;
            for (int64_t k : {2 * pair, 2 * pair + 1}) {
              Value at = w.plus(rowAt(tile * edge), depthOfA.at(w, w.plus(w.times(step, pairBlock), w.index(k))));
              both.push_back(loadHeld(rowsOfA, at, edge, k < elements ? rows : 0));
            }
            square.push_back(words(interleave(both[0], both[1])));
          }
          storeTurned(square, packedA, to);
        } else {
          packElements(from, step, elements, tile, rows);
        }
      }
    };
    if (!direct)
      eachStep(size, pack);
    else if (size % pairBlock)
      pack(w.index(size / pairBlock), size % pairBlock);
  }

  // Elements that lie anywhere.
  void packElements(Value from, Value step, int64_t elements, int64_t tile, int64_t rows) {
    Value to = placeOf(w.index(0), step, tile), none = zeros(pairBlock);
    for (int64_t i = 0; i < edge; ++i)
      vector::StoreOp::create(b, none, packedA, ValueRange{w.plus(to, w.index(i * pairBlock))});
    w.loop(w.index(0), w.index(elements), 1, {}, [&](Value k, ValueRange) -> SmallVector<Value> {
      Value at = w.plus(from, depthOfA.at(w, w.plus(w.times(step, pairBlock), k)));
      for (int64_t i = 0; i < rows; ++i) {
        Value read = rowsOfA.load(w, rowsOfA.read, w.plus(at, w.index((tile * edge + i) * x.m.a)), 0, {});
        memref::StoreOp::create(b, read, packedA, ValueRange{w.plus(to, w.plus(k, w.index(i * pairBlock)))});
      }
      return {};
    });
  }

  //===--- tiles -----------------------------------------------------------===//

  Value address(Value memory, Value offset, int64_t bytes) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto asInteger = [&](Value index) -> Value { return arith::IndexCastOp::create(b, b.getI64Type(), index); };
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
    base = LLVM::IntToPtrOp::create(b, pointer, asInteger(base));
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base, ValueRange{asInteger(w.times(offset, bytes))});
  }

  Value call(StringRef name, ArrayRef<Value> operands, bool gives = true) {
    auto intrinsic = b.getStringAttr("llvm.x86." + name);
    if (!gives)
      return LLVM::CallIntrinsicOp::create(b, intrinsic, operands), Value();
    return LLVM::CallIntrinsicOp::create(b, LLVM::LLVMX86AMXType::get(b.getContext()), intrinsic, operands)
        ->getResult(0);
  }
  Value number(int64_t value, unsigned bits) {
    return LLVM::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  // 16 rows of 64 bytes, so many bytes apart.
  Value loadTile(Value at, int64_t apart) {
    return call("tileloadd64.internal", {number(edge, 16), number(64, 16), at, number(apart, 64)});
  }
  // Past the first cache, where the rows of a shall stay.
  Value streamTile(Value at, int64_t apart) {
    return call("tileloaddt164.internal", {number(edge, 16), number(64, 16), at, number(apart, 64)});
  }
  void storeTile(Value tile, Value at, int64_t apart) {
    call("tilestored64.internal", {number(edge, 16), number(64, 16), at, number(apart, 64), tile}, /*gives=*/false);
  }
  Value zeroTile() { return call("tilezero.internal", {number(edge, 16), number(64, 16)}); }
  Value addProducts(Value c, Value left, Value right) {
    return call("tdpbf16ps.internal", {number(edge, 16), number(64, 16), number(64, 16), c, left, right});
  }

  // 32 rows and columns of c, or what there is of them: `direct` is where a's rows lie, null if they are packed.
  void writeTiles(Value direct, Value inC, Value number, const SumBlock &block, int64_t height, int64_t active) {
    int64_t down = llvm::divideCeil(height, edge), across = llvm::divideCeil(active, edge);
    bool isWhole = height % edge == 0 && active % edge == 0;
    Value memory = isWhole ? w.memoryOf(x.c) : edgeOfC, first = isWhole ? inC : w.index(0);
    int64_t apart = isWhole ? x.m.c : twoTiles;
    if (!isWhole)
      either(w, block.adds, [&] { copyEdge(inC, height, active, /*out=*/false); });
    auto placeInC = [&](int64_t i, int64_t j) {
      return address(memory, w.plus(first, w.index(i * edge * apart + j * edge)), 4);
    };
    auto write = [&](bool adds) {
      SmallVector<Value> tiles;
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j)
          tiles.push_back(adds ? loadTile(placeInC(i, j), 4 * apart) : zeroTile());
      Value panel = w.times(number, panelElements);
      auto step = [&](Value at, MutableArrayRef<Value> into, bool fromMemory) {
        SmallVector<Value> right, left;
        for (int64_t j = 0; j < across; ++j)
          right.push_back(streamTile(address(packedB, placeOf(panel, at, j), 2), 64));
        for (int64_t i = 0; i < down; ++i)
          left.push_back(
              fromMemory
                  ? loadTile(address(rowsOfA.memory,
                                     w.plus(direct, w.plus(w.times(at, pairBlock), w.index(i * edge * x.m.a))), 2),
                             2 * x.m.a)
                  : loadTile(address(packedA, placeOf(w.index(0), at, i), 2), 64));
        for (int64_t i = 0; i < down; ++i)
          for (int64_t j = 0; j < across; ++j)
            into[i * across + j] = addProducts(into[i * across + j], left[i], right[j]);
      };
      int64_t steps = llvm::divideCeil(block.size, pairBlock), whole = direct ? block.size / pairBlock : steps;
      if (whole)
        tiles = w.loop(w.index(0), w.index(whole), 1, tiles, [&](Value at, ValueRange carried) {
          SmallVector<Value> next(carried);
          step(at, next, bool(direct));
          return next;
        });
      if (whole < steps)
        step(w.index(whole), tiles, /*fromMemory=*/false);
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j)
          storeTile(tiles[i * across + j], placeInC(i, j), 4 * apart);
    };
    either(w, block.adds, [&] { write(true); }, [&] { write(false); });
    if (!isWhole)
      copyEdge(inC, height, active, /*out=*/true);
  }

  // Rows and columns of c that exist, to a buffer of whole tiles or back.
  void copyEdge(Value inC, int64_t height, int64_t active, bool out) {
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < active; j += edge) {
        Lanes lanes{edge, std::min(edge, active - j)};
        Value there = w.plus(inC, w.index(i * x.m.c + j)), here = w.index(i * twoTiles + j);
        if (out)
          w.store(w.load(edgeOfC, sum, here, 1, {edge, edge}), w.memoryOf(x.c), there, 1, lanes);
        else
          w.store(w.load(w.memoryOf(x.c), sum, there, 1, lanes), edgeOfC, here, 1, {edge, edge});
      }
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  MatmulNest x;
  Factor rowsOfA, rowsOfB;
  Type sum;
  int64_t length = 0, group = 1, panels = 1, panelElements = 0;
  LoopOffsets depthOfA, depthOfB, columns;
  Value packedA, packedB, plainB, edgeOfC;
};

} // namespace

bool codegen::fitsAmx(const KernelWriter &writer, const MatmulNest &x) {
  auto isBF16 = [](Value factor) { return cast<RankedTensorType>(factor.getType()).getElementType().isBF16(); };
  return writer.options.amx && x.pairs && isBF16(x.a) && isBF16(x.b) && x.n.c == 1 && x.run() == x.n.extent;
}

void codegen::writeAmxTiles(KernelWriter &writer, MatmulNest product) { AmxWriter(writer, std::move(product)).run(); }

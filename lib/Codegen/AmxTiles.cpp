//===- AmxTiles.cpp - bf16 contractions by tiles of the matrix unit -------===//
//
// TDPBF16PS adds 32 products to each of 16 x 16 sums, in the order that the numerics fix for a block of pairs. Four
// tiles of c stay in registers, 32 rows by 32 columns, for up to 512 summed elements:
//
//   for each group of panels of b, for the rows of a chunk       (units: slices of the rows)
//     for each 512 summed elements
//       pack the panels' rows of b, in pairs
//       for each 32 rows of a (packed before, unless they are contiguous along k), for each panel
//         c = c + a b: two tiles by two, 32 elements a step
//
// Every tile has its full size. Rows, columns and elements beyond the operands are zeros in the packed buffers, and
// tiles at the edges of c are copied. So one tile configuration serves the whole kernel, and a short block of pairs is
// filled with products of zeros, as its definition says.
//
// Where rows of a choose slices of a table, the rows of one slice form the product, wherever they are stored
// (GroupedTiles.cpp): each 32 of them are packed, and their tiles of c copied.
//
// TDPBF16PS: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
//
//===----------------------------------------------------------------------===//
#include "AmxUnit.h"
#include "RowGroups.h"
#include "ScalarFunctions.h"
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::pairBlock;

namespace {

constexpr int64_t edge = AmxUnit::edge;
constexpr int64_t twoTiles = 2 * edge; // rows and columns that are summed at once
constexpr int64_t tileElements = edge * pairBlock;
// Least rows of a slice, and units from which rows are not cut. Not tuned: slices of one chunk share the packed b, so
// short slices cost little, and 24 units keep several threads busy.
constexpr int64_t smallestPart = 64, enoughUnits = 24;
// Rows of a stay in L1 (32 rows of 512 bf16 are 32 KiB of 48), a group of b in L2. Measured with drafts in C on a Xeon
// with AMX and 2 MiB of L2, with 512 summed elements in registers: 0.74 to 0.85 of the unit's peak. With 256 it was
// 0.68 to 0.73. A group of b takes a quarter of L2 there, which leaves space for the block of c.
constexpr int64_t summed = 512, groupBytes = 512 << 10;

// Writes one contraction, or one grouped contraction (`chosen`), as the loops above.
class AmxWriter {
public:
  AmxWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), rowsOfA(writer, x.a), rowsOfB(writer, x.b),
        sum(cast<RankedTensorType>(x.c.getType()).getElementType()), unit(writer, sum) {}
  AmxWriter(KernelWriter &writer, ein::GroupedNest nest) : AmxWriter(writer, nest.product) {
    part = nest.part;
    chosen.emplace(writer, *part, nest.rows, writer.addAccess(part->gather, part->extent));
  }

  // Chooses group and slices, allocates scratch, and writes the loop over units of a chunk.
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
    if (chosen)
      chosen->sort();
    Value count = w.index(parts);
    w.loop(arith::DivUIOp::create(b, lower, count), arith::CeilDivUIOp::create(b, upper, count), 1, {},
           [&](Value number, ValueRange) -> SmallVector<Value> {
             // The chunk covers a range of this group's slices; all of them share one packed b.
             Value before = w.times(number, parts);
             Value begin = arith::SubIOp::create(b, arith::MaxUIOp::create(b, lower, before), before);
             Value end = arith::SubIOp::create(b, arith::MinUIOp::create(b, upper, w.plus(before, count)), before);
             SmallVector<Value> at = w.delinearize(number, extents);
             Value first = w.times(at.pop_back_val(), group);
             Offsets from = moved(w, x.outer, at, firstOffsets(w, x));
             if (chosen) {
               chosen->forEachPart([&](Value number, Value begin, Value end) {
                 Offsets inPart = from;
                 inPart.b = w.plus(from.b, w.times(number, part->stride));
                 either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, begin, end),
                        [&] { writeUnit(inPart, begin, end, first); });
               });
               return {};
             }
             Value behind = arith::MinUIOp::create(b, w.times(end, length), w.index(x.m.extent));
             writeUnit(from, w.times(begin, length), behind, first);
             return {};
           });
  }

private:
  // Cuts the rows in as many slices as threads could use, each a multiple of 32 rows. Returns their number.
  int64_t chooseParts(int64_t groups) {
    if (chosen) // rows are grouped by slices of the table already
      return 1;
    int64_t wanted = llvm::divideCeil(std::min(chunksOf(w.kernel.getNs()), enoughUnits), x.units() * groups);
    int64_t parts = std::clamp<int64_t>(x.m.extent / smallestPart, 1, wanted);
    length = llvm::alignTo(llvm::divideCeil(x.m.extent, parts), twoTiles);
    return llvm::divideCeil(x.m.extent, length);
  }

  // How the factors are stored. readsPairs: b is contiguous along n, so two of its rows are read side by side.
  // readsWords: b is contiguous along k, so pairs are neighbours. readsRows: rows of a are as tiles read them.
  bool readsPairs() const { return x.n.b == 1 && !columns.isTable(); }
  bool readsWords() const { return x.k.b == 1 && depthOfB.isRun() && !columns.isTable(); }
  bool readsRows() const { return depthOfA.isRun(); }
  // Whether tiles of a are loaded without a copy. Strides of 2 KiB and more are packed. In an L1 of 48 KiB and 12 ways,
  // rows 2 KiB apart use 2 of its 64 sets. These hold 24 lines, fewer than the 32 rows of a step. Derived, not
  // measured.
  bool readsInPlace() const {
    constexpr int64_t farBytes = 2048;
    return readsRows() && rowsOfA.element == rowsOfA.read && 2 * x.m.a < farBytes && !chosen;
  }

  // bf16 travels as its 16 bits until the unit reads it.
  Type held() { return b.getI16Type(); }

  // Writes rows [row, rows) of c by one group of panels, of which `first` is the first.
  void writeUnit(Offsets from, Value row, Value rows, Value first) {
    Value column = w.times(first, twoTiles);
    Value count = arith::MinUIOp::create(b, arith::SubIOp::create(b, w.index(panels), first), w.index(group));
    columns.fill(w, column, w.times(count, twoTiles));
    int64_t lastColumns = x.n.extent - (panels - 1) * twoTiles, lastRows = x.m.extent % twoTiles;
    // Panels of full width share one loop; the ragged last panel has code of its own.
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
          // b once for the block, then a once for each 32 rows, then every panel with these rows.
          eachPanel([&](Value number, int64_t active) { packB(at.b, column, number, block.size, active); });
          auto writeRows = [&](Value firstRow, int64_t height) {
            SmallVector<Offsets> rowsAt = rowsFrom(firstRow, height, rows, at);
            bool direct = readsInPlace() && height % edge == 0;
            packA(rowsAt, block.size, direct);
            eachPanel([&](Value number, int64_t active) {
              Value inRow = w.plus(column, w.times(number, twoTiles));
              writeTiles(direct, rowsAt, inRow, number, block, active);
            });
          };
          // Grouped rows repeat their last row to fill a tile: it is computed and stored twice, with equal values.
          Value whole = rows;
          if (lastRows && !chosen) // only the last slice is ragged
            whole = arith::MinUIOp::create(b, rows, w.index(x.m.extent - lastRows));
          w.loop(row, whole, twoTiles, {}, [&](Value firstRow, ValueRange) -> SmallVector<Value> {
            writeRows(firstRow, twoTiles);
            return {};
          });
          if (lastRows && !chosen)
            either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, whole, rows),
                   [&] { writeRows(whole, lastRows); });
        },
        summed);
  }

  // Offsets of `height` rows from number `first` on. Rows of a group end at `end`: beyond it the last one is repeated.
  SmallVector<Offsets> rowsFrom(Value first, int64_t height, Value end, const Offsets &from) {
    SmallVector<Offsets> rows;
    Value last = chosen ? Value(arith::SubIOp::create(b, end, w.index(1))) : Value();
    for (int64_t i = 0; i < height; ++i) {
      Value row = w.plus(first, i ? w.index(i) : Value());
      if (chosen)
        rows.push_back(chosen->rowAt(arith::MinUIOp::create(b, row, last), {from.a, {}, from.c}));
      else
        rows.push_back(moved(w, {x.m}, {row}, from));
    }
    return rows;
  }

  //===--- packing ---------------------------------------------------------===//

  // `width` neighbouring elements as 16 bits each; lanes from `active` on are zeros.
  Value loadHeld(const Factor &from, Value offset, int64_t width, int64_t active) {
    if (active <= 0)
      return zeros(width);
    return from.convert(w, from.read, w.load(from.memory, from.element, offset, 1, {width, std::min(active, width)}));
  }
  Value zeros(int64_t width) { return arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({width}, held()))); }

  // Interleaves two rows: element i of both becomes the pair i.
  Value interleave(Value even, Value odd) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < edge; ++i)
      order.append({i, edge + i});
    return vector::ShuffleOp::create(b, even, odd, order);
  }

  Value words(Value halves) { return vector::BitCastOp::create(b, VectorType::get({edge}, b.getI32Type()), halves); }

  // Transposes 16 vectors of 32-bit words and stores them as a tile.
  void storeTurned(MutableArrayRef<Value> square, Value tile, Value at) {
    turnSquare(b, square);
    for (int64_t i = 0; i < edge; ++i) {
      Value row = vector::BitCastOp::create(b, VectorType::get({pairBlock}, held()), square[i]);
      vector::StoreOp::create(b, row, tile, ValueRange{w.plus(at, w.index(i * pairBlock))});
    }
  }

  // Writes each step of 32 summed elements; the last may have fewer.
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

  // Packs a panel of b: for each step two tiles, each of 16 rows of pairs.
  void packB(Value from, Value firstColumn, Value number, int64_t size, int64_t active) {
    Value to = w.times(number, panelElements);
    // Windows and other scattered columns are gathered into rows first, then packed like rows.
    if (!readsPairs() && !readsWords()) {
      Value before = w.times(number, twoTiles);
      int64_t tiles = llvm::divideCeil(active, edge);
      Panel panel{edge, tiles, active};
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
        // Rows of b are vectors: two of them interleave to pairs.
        return packPairs(to, step, elements, active, [&](Value k, int64_t tile, int64_t lanes) {
          Value at = w.plus(w.plus(begin, depthOfB.at(w, k)), w.index(tile * edge));
          return loadHeld(rowsOfB, at, edge, lanes);
        });
      // Columns of b hold the pairs already: a transposed square of 16 columns is a tile.
      for (int64_t tile = 0; tile * edge < active; ++tile) {
        SmallVector<Value> square;
        for (int64_t i = 0; i < edge; ++i) {
          int64_t column = tile * edge + i;
          Value at = w.plus(w.plus(begin, w.times(step, pairBlock)), w.index(column * x.n.b));
          square.push_back(words(loadHeld(rowsOfB, at, pairBlock, column < active ? elements : 0)));
        }
        storeTurned(square, packedB, offsetOf(to, step, tile));
      }
    });
  }

  // Offset of a step's tile in a packed buffer: both packed operands have two tiles a step.
  Value offsetOf(Value to, Value step, int64_t tile) {
    return w.plus(to, w.plus(w.times(step, 2 * tileElements), w.index(tile * tileElements)));
  }

  // Packs one step from rows that `load` reads; pairs beyond `elements` are zeros.
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
                                ValueRange{w.plus(offsetOf(to, step, tile), w.index(pair * pairBlock))});
      }
  }

  // Packs up to 32 rows of a as tiles of 16 rows by 32 elements. With `direct` only a short last step is packed.
  void packA(ArrayRef<Offsets> rowsAt, int64_t size, bool direct) {
    int64_t height = rowsAt.size();
    auto pack = [&](Value step, int64_t elements) {
      for (int64_t tile = 0; tile * edge < height; ++tile) {
        Value to = offsetOf(w.index(0), step, tile);
        int64_t rows = std::min(edge, height - tile * edge);
        // Three layouts: contiguous along k (copy), contiguous along m (transpose words), anything else (by element).
        if (readsRows()) {
          for (int64_t i = 0; i < edge; ++i) {
            Value at = w.plus(rowsAt[tile * edge + std::min(i, rows - 1)].a, w.times(step, pairBlock));
            vector::StoreOp::create(b, loadHeld(rowsOfA, at, pairBlock, i < rows ? elements : 0), packedA,
                                    ValueRange{w.plus(to, w.index(i * pairBlock))});
          }
        } else if (x.m.a == 1 && !chosen) {
          SmallVector<Value> square;
          for (int64_t pair = 0; pair < edge; ++pair) {
            SmallVector<Value, 2> both;
            for (int64_t k : {2 * pair, 2 * pair + 1}) {
              Value at = w.plus(rowsAt[tile * edge].a, depthOfA.at(w, w.plus(w.times(step, pairBlock), w.index(k))));
              both.push_back(loadHeld(rowsOfA, at, edge, k < elements ? rows : 0));
            }
            square.push_back(words(interleave(both[0], both[1])));
          }
          storeTurned(square, packedA, to);
        } else {
          packElements(rowsAt.slice(tile * edge, rows), step, elements, tile);
        }
      }
    };
    if (!direct)
      eachStep(size, pack);
    else if (size % pairBlock)
      pack(w.index(size / pairBlock), size % pairBlock);
  }

  // Packs a step element by element, where rows of a have no contiguous axis.
  void packElements(ArrayRef<Offsets> rowsAt, Value step, int64_t elements, int64_t tile) {
    Value to = offsetOf(w.index(0), step, tile), none = zeros(pairBlock);
    for (int64_t i = 0; i < edge; ++i)
      vector::StoreOp::create(b, none, packedA, ValueRange{w.plus(to, w.index(i * pairBlock))});
    w.loop(w.index(0), w.index(elements), 1, {}, [&](Value k, ValueRange) -> SmallVector<Value> {
      Value depth = depthOfA.at(w, w.plus(w.times(step, pairBlock), k));
      for (auto [i, row] : llvm::enumerate(rowsAt)) {
        Value read = rowsOfA.load(w, rowsOfA.read, w.plus(row.a, depth), 0, {});
        memref::StoreOp::create(b, read, packedA, ValueRange{w.plus(to, w.plus(k, w.index(i * pairBlock)))});
      }
      return {};
    });
  }

  //===--- tiles -----------------------------------------------------------===//

  // Adds a block's products to 32 rows and columns of c, or to those that exist. `direct`: a is read without a copy.
  void writeTiles(bool direct, ArrayRef<Offsets> rowsAt, Value inRow, Value number, const SumBlock &block,
                  int64_t active) {
    int64_t height = rowsAt.size();
    int64_t down = llvm::divideCeil(height, edge), across = llvm::divideCeil(active, edge);
    // Whole tiles go straight to c. Others pass through `edgeOfC`, which has 32 x 32 elements.
    bool isWhole = height % edge == 0 && active % edge == 0 && !chosen;
    Value memory = isWhole ? w.memoryOf(x.c) : edgeOfC, first = isWhole ? w.plus(rowsAt[0].c, inRow) : w.index(0);
    int64_t apart = isWhole ? x.m.c : twoTiles;
    if (!isWhole)
      either(w, block.adds, [&] { copyEdge(rowsAt, inRow, active, /*out=*/false); });
    auto placeInC = [&](int64_t i, int64_t j) { return w.plus(first, w.index(i * edge * apart + j * edge)); };
    auto write = [&](bool adds) {
      // Tiles of c are loop-carried values, so they stay in registers over all steps of the block.
      SmallVector<Value> tiles; // their values, one behind the other
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j)
          llvm::append_range(tiles, adds ? unit.loadTile(memory, placeInC(i, j), apart) : unit.zeroTile());
      int64_t values = tiles.size() / (down * across);
      auto tileOf = [&](ArrayRef<Value> all, int64_t number) {
        return AmxUnit::Tile(all.slice(number * values, values));
      };
      Value panel = w.times(number, panelElements);
      auto step = [&](Value at, SmallVector<Value> before, bool fromMemory) {
        // Four loads, then four products: one of three changes that took drafts in C from 0.74 to 0.85 of the peak.
        SmallVector<AmxUnit::Tile> right, left;
        for (int64_t j = 0; j < across; ++j)
          right.push_back(unit.streamTile(packedB, offsetOf(panel, at, j), pairBlock));
        for (int64_t i = 0; i < down; ++i) {
          Value inRows = w.plus(rowsAt[0].a, w.plus(w.times(at, pairBlock), w.index(i * edge * x.m.a)));
          left.push_back(fromMemory ? unit.loadTile(rowsOfA.memory, inRows, x.m.a)
                                    : unit.loadTile(packedA, offsetOf(w.index(0), at, i), pairBlock));
        }
        SmallVector<Value> after;
        for (int64_t i = 0; i < down; ++i)
          for (int64_t j = 0; j < across; ++j)
            llvm::append_range(after, unit.addProducts(tileOf(before, i * across + j), left[i], right[j]));
        return after;
      };
      int64_t steps = llvm::divideCeil(block.size, pairBlock), whole = direct ? block.size / pairBlock : steps;
      // In place, a short last step comes from the packed buffer: a full tile would read past the row's end.
      if (whole)
        tiles = w.loop(w.index(0), w.index(whole), 1, tiles,
                       [&](Value at, ValueRange carried) { return step(at, SmallVector<Value>(carried), direct); });
      if (whole < steps)
        tiles = step(w.index(whole), tiles, /*fromMemory=*/false);
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < across; ++j)
          unit.storeTile(tileOf(tiles, i * across + j), memory, placeInC(i, j), apart);
    };
    either(w, block.adds, [&] { write(true); }, [&] { write(false); });
    if (!isWhole)
      copyEdge(rowsAt, inRow, active, /*out=*/true);
  }

  // Copies the rows and columns of c that exist to the buffer of whole tiles (`out` false) or back.
  void copyEdge(ArrayRef<Offsets> rowsAt, Value inRow, int64_t active, bool out) {
    for (auto [i, row] : llvm::enumerate(rowsAt))
      for (int64_t j = 0; j < active; j += edge) {
        Lanes lanes{edge, std::min(edge, active - j)};
        Value there = w.plus(w.plus(row.c, inRow), w.index(j)), here = w.index(i * twoTiles + j);
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
  AmxUnit unit;
  std::optional<ein::TablePart> part; // of a table that rows choose parts of
  std::optional<RowGroups> chosen;
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
void codegen::writeAmxTiles(KernelWriter &writer, ein::GroupedNest nest) { AmxWriter(writer, std::move(nest)).run(); }

//===- WriteScatteredProducts.cpp - outer products added at positions -----===//
//
// Rows that hold one position add their outer products to one matrix, in their order. So a tile of the matrix stays in
// registers while the rows stream by:
//
//   sort the rows by position, for each panel of columns             (units: cut in chunks)
//     for each position, for each 256 of its rows at most
//       pack the panel of b
//       for each run of tiles, pack the rows' elements of a
//         for each tile: s = c;  for row: s[i][v] = s[i][v] + a[row][i] * b[row][v];  c = s
//
// Rows are often a page or a power of two apart, and share few sets of a cache. So both factors are packed, and each
// row of a is read once for a run of tiles.
//
//===----------------------------------------------------------------------===//
#include "RowGroups.h"
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Rows packed together: 256 rows of a panel of 64 f32 are 64 KiB in L2. A sum is one chain, so this changes no bit. Not
// tuned.
constexpr int64_t rowsAtOnce = 256;
// Elements of a row of a that are packed for a tile, at most: 6 for a full panel, in a power of two of elements.
constexpr int64_t slot = 8;
// Bytes of packed a for a run of tiles, in L2 beside the panel of b. Not tuned.
constexpr int64_t stagedBytes = 128 << 10;

// Writes a scatter_add of outer products as the loops above.
class ProductScatterWriter {
public:
  ProductScatterWriter(KernelWriter &writer, ein::ScatterAddOp op, const ein::ScatteredProducts &products)
      : w(writer), b(writer.b), op(op), x(products), element(op.getType().getElementType()), tile(writer, element),
        groups(writer, x.part, x.rows, writer.addAccess(op, x.part.extent)) {}

  // Panels are the units of chunks. Every call sorts all rows.
  void run() {
    int64_t panels = llvm::divideCeil(x.n.extent, tile.width()), most = std::min(x.rowCount(), rowsAtOnce), units = 1;
    scratch = w.scratch(most * tile.width(), element);
    // As many tiles as fit for the most rows that are packed at once.
    tilesAtOnce = stagedBytes / (rowsAtOnce * slot * int64_t(element.getIntOrFloatBitWidth() / 8));
    packed = w.scratch(most * slot * tilesAtOnce, element);
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(panels);
    for (int64_t extent : extents)
      units *= extent;
    Value accumulates = op.getAccumulator() ? w.accumulate : arith::ConstantIntOp::create(b, 0, 1);
    vacant = arith::XOrIOp::create(b, accumulates, arith::ConstantIntOp::create(b, 1, 1));
    auto [lower, upper] = w.cut(units);
    // Outside of the loop over units: all units of a chunk read the sorted rows.
    groups.sort();
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value number = at.pop_back_val();
      Offsets from = moved(w, {x.n}, {w.times(number, tile.width())},
                           moved(w, x.outer, at, {w.index(x.firstOfA), w.index(x.firstOfB), w.index(0)}));
      tile.forPanel(x.n.extent, number, [&](const Panel &panel) { writeUnit(from, panel); });
      return {};
    });
  }

private:
  // One panel of the result, position by position. Positions without rows are cleared if the result is vacant.
  void writeUnit(Offsets from, const Panel &panel) {
    groups.forEachPart([&](Value part, Value begin, Value end) {
      Offsets at = from;
      at.c = w.plus(at.c, w.times(part, x.part.stride));
      Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, begin, end);
      either(w, arith::AndIOp::create(b, isEmpty, vacant), [&] { clear(at.c, panel); });
      // Blocks of equal size, at most 256 rows, but for the last.
      Value count = arith::SubIOp::create(b, end, begin);
      Value blocks = arith::CeilDivUIOp::create(b, count, w.index(rowsAtOnce));
      Value most = arith::CeilDivUIOp::create(b, count, arith::MaxUIOp::create(b, blocks, w.index(1)));
      w.loop(w.index(0), blocks, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        Value done = arith::MulIOp::create(b, number, most), rest = arith::SubIOp::create(b, count, done);
        Rows rows{w.plus(begin, done), arith::MinUIOp::create(b, rest, most)};
        Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, w.index(0));
        packB(at, rows, panel);
        // Only the first block of a position may find c vacant.
        writeRows(at, rows, arith::AndIOp::create(b, isFirst, vacant), panel);
        return {};
      });
    });
  }

  // Rows of one position: a range of the sorted order.
  struct Rows {
    Value first, count;
  };

  // Clears the panel of a matrix that no row adds to.
  void clear(Value c, const Panel &panel) {
    w.loop(w.index(0), w.index(x.m.extent), 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      Value at = w.plus(c, w.times(row, x.m.c));
      tile.storeSums(w.memoryOf(op.getResult()), [&](int64_t) { return at; }, panel, tile.zeros(1, panel));
      return {};
    });
  }

  // The panel's elements of each row of b, contiguous.
  void packB(const Offsets &at, const Rows &rows, const Panel &panel) {
    w.loop(w.index(0), rows.count, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Value row = groups.rowAt(w.plus(rows.first, i), at).b;
      for (int64_t v = 0; v < panel.vectors; ++v) {
        Value read =
            w.load(w.memoryOf(x.b), element, w.plus(row, w.index(v * panel.lanes * x.n.b)), x.n.b, panel.lanesOf(v));
        w.store(read, scratch, w.plus(w.times(i, panel.width()), w.index(v * panel.lanes)), 1,
                {panel.lanes, panel.lanes});
      }
      return {};
    });
  }

  // For each tile a run of slots, one for each row, with its `height` elements of a.
  void packA(const Offsets &at, const Rows &rows, Value firstTile, Value tiles, int64_t height) {
    w.loop(w.index(0), rows.count, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Value row = groups.rowAt(w.plus(rows.first, i), at).a;
      w.loop(w.index(0), tiles, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        Value column = w.times(w.plus(firstTile, number), height * x.m.a);
        Value read = w.load(w.memoryOf(x.a), element, w.plus(row, column), x.m.a, {slot, height});
        w.store(read, packed, slotAt(rows, number, i), 1, {slot, slot});
        return {};
      });
      return {};
    });
  }

  Value slotAt(const Rows &rows, Value tileNumber, Value row) {
    return w.times(w.plus(arith::MulIOp::create(b, tileNumber, rows.count), row), slot);
  }

  // All tiles of the panel: full heights in runs, the rest alone.
  void writeRows(const Offsets &at, const Rows &rows, Value isFresh, const Panel &panel) {
    int64_t height = std::min({tile.heightOf(panel), slot, x.m.extent}), tiles = x.m.extent / height;
    w.loop(w.index(0), w.index(tiles), tilesAtOnce, {}, [&](Value first, ValueRange) -> SmallVector<Value> {
      Value rest = arith::SubIOp::create(b, w.index(tiles), first);
      Value count = arith::MinUIOp::create(b, rest, w.index(tilesAtOnce));
      packA(at, rows, first, count, height);
      w.loop(w.index(0), count, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        Value row = w.times(w.plus(first, number), height);
        writeTile(w.plus(at.c, w.times(row, x.m.c)), rows, number, height, isFresh, panel);
        return {};
      });
      return {};
    });
    // Rows of c that fill no whole tile.
    if (int64_t done = tiles * height; done < x.m.extent) {
      Offsets rest = at;
      rest.a = w.plus(rest.a, w.index(done * x.m.a));
      packA(rest, rows, w.index(0), w.index(1), x.m.extent - done);
      writeTile(w.plus(at.c, w.index(done * x.m.c)), rows, w.index(0), x.m.extent - done, isFresh, panel);
    }
  }

  void writeTile(Value c, const Rows &rows, Value number, int64_t height, Value isFresh, const Panel &panel) {
    Value to = w.memoryOf(op.getResult());
    auto inC = [&](int64_t i) { return w.plus(c, w.index(i * x.m.c)); };
    // Prefetches the next tile's rows of c while this one is computed. Beyond the last tile a prefetch reads nothing.
    tile.prefetch(to, [&](int64_t i) { return inC(height + i); }, height, panel);
    Value adds = arith::XOrIOp::create(b, isFresh, arith::ConstantIntOp::create(b, 1, 1));
    SmallVector<Value> sums = tile.startSums(to, inC, height, panel, adds);
    sums = w.loop(w.index(0), rows.count, 1, sums, [&](Value i, ValueRange carried) {
      SmallVector<Value> next(carried);
      Value begin = slotAt(rows, number, i);
      auto left = [&](int64_t j) { return w.plus(begin, w.index(j)); };
      tile.addProducts(next, panel, packed, left, {scratch, element}, w.times(i, panel.width()), /*packed=*/true,
                       x.fused ? TileCode::Adds::fused : TileCode::Adds::rounded);
      return next;
    });
    tile.storeSums(to, inC, panel, sums);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::ScatterAddOp op;
  const ein::ScatteredProducts &x;
  Type element;
  TileCode tile;
  RowGroups groups;
  int64_t tilesAtOnce = 0;
  Value scratch, packed, vacant; // panel of b, slots of a, i1: c holds nothing yet
};

} // namespace

void codegen::writeScatteredProducts(KernelWriter &writer, ein::ScatterAddOp op,
                                     const ein::ScatteredProducts &products) {
  ProductScatterWriter(writer, op, products).run();
}

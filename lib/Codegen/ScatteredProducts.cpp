//===- ScatteredProducts.cpp - outer products added at positions ------------===//
//
// Rows that hold one position add their outer products to one matrix, in their order, each rounded and then added. So a
// tile of it lies in registers while the rows stream by:
//
//   sort the rows by position, for each panel of columns             (units: cut in chunks)
//     for each position, for each 256 of its rows
//       pack the rows' columns
//       for each `height` rows of the matrix
//         s = c;  for row: s[i][v] = s[i][v] + a[row][i] * b[row][v];  c = s
//
//===----------------------------------------------------------------------===//
#include "RowGroups.h"
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

constexpr int64_t rowsAtOnce = 256;

class ProductScatterWriter {
public:
  ProductScatterWriter(KernelWriter &writer, ein::ScatterAddOp op, const ein::ScatteredProducts &products)
      : w(writer), b(writer.b), op(op), x(products), element(op.getType().getElementType()), tile(writer, element),
        groups(writer, x.part, x.rows, writer.addAccess(op, x.part.extent)) {}

  void run() {
    int64_t panels = llvm::divideCeil(x.n.extent, tile.width()), most = std::min(x.rowCount(), rowsAtOnce), units = 1;
    scratch = w.scratch(most * tile.width(), element);
    rowsOfA = w.scratch(most, b.getI64Type());
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(panels);
    for (int64_t extent : extents)
      units *= extent;
    Value accumulates = op.getAccumulator() ? w.accumulate : arith::ConstantIntOp::create(b, 0, 1);
    vacant = arith::XOrIOp::create(b, accumulates, arith::ConstantIntOp::create(b, 1, 1));
    auto [lower, upper] = w.cut(units);
    groups.sort();
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value number = at.pop_back_val();
      Offsets from = moved(w, {x.n}, {w.times(number, tile.width())},
                           moved(w, x.outer, at, {w.index(x.firstOfA), w.index(x.firstOfB), w.index(0)}));
      Panel full = tile.full(), last = tile.last(x.n.extent);
      if (panels == 1 || last.columns == full.columns)
        writeUnit(from, last);
      else
        either(
            w, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, w.index(panels - 1)),
            [&] { writeUnit(from, last); }, [&] { writeUnit(from, full); });
      return {};
    });
  }

private:
  void writeUnit(Offsets from, const Panel &panel) {
    groups.forEachPart([&](Value part, Value begin, Value end) {
      Offsets at = from;
      at.c = w.plus(at.c, w.times(part, x.part.stride));
      Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, begin, end);
      either(w, arith::AndIOp::create(b, isEmpty, vacant), [&] { clear(at.c, panel); });
      w.loop(begin, end, rowsAtOnce, {}, [&](Value first, ValueRange) -> SmallVector<Value> {
        Value rest = arith::SubIOp::create(b, end, first), size = arith::MinUIOp::create(b, rest, w.index(rowsAtOnce));
        Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first, begin);
        gatherRows(at, first, size, panel);
        writeRows(at.c, size, arith::AndIOp::create(b, isFirst, vacant), panel);
        return {};
      });
    });
  }

  // Matrices that no row adds to.
  void clear(Value c, const Panel &panel) {
    w.loop(w.index(0), w.index(x.m.extent), 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      Value at = w.plus(c, w.times(row, x.m.c));
      tile.storeSums(w.memoryOf(op.getResult()), [&](int64_t) { return at; }, panel, tile.zeros(1, panel));
      return {};
    });
  }

  // Where rows of a begin, and what they have of b, as rows of a panel.
  void gatherRows(const Offsets &at, Value first, Value size, const Panel &panel) {
    w.loop(w.index(0), size, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Offsets row = groups.rowAt(w.plus(first, i), at);
      memref::StoreOp::create(b, arith::IndexCastOp::create(b, b.getI64Type(), row.a), rowsOfA, ValueRange{i});
      for (int64_t v = 0; v < panel.vectors; ++v) {
        Value read =
            w.load(w.memoryOf(x.b), element, w.plus(row.b, w.index(v * panel.lanes * x.n.b)), x.n.b, panel.lanesOf(v));
        w.store(read, scratch, w.plus(w.times(i, panel.width()), w.index(v * panel.lanes)), 1,
                {panel.lanes, panel.lanes});
      }
      return {};
    });
  }

  void writeRows(Value c, Value size, Value isFresh, const Panel &panel) {
    int64_t height = std::min(tile.heightOf(panel), x.m.extent), whole = x.m.extent / height * height;
    w.loop(w.index(0), w.index(whole), height, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      writeTile(c, row, height, size, isFresh, panel);
      return {};
    });
    if (whole < x.m.extent)
      writeTile(c, w.index(whole), x.m.extent - whole, size, isFresh, panel);
  }

  void writeTile(Value c, Value row, int64_t height, Value size, Value isFresh, const Panel &panel) {
    Value to = w.memoryOf(op.getResult()), first = w.plus(c, w.times(row, x.m.c)), column = w.times(row, x.m.a);
    auto inC = [&](int64_t i) { return w.plus(first, w.index(i * x.m.c)); };
    // The next tile's rows come while this one's sums are computed; behind the last nothing is asked for that is read.
    tile.prefetch(to, [&](int64_t i) { return inC(height + i); }, height, panel);
    // What a vacant accumulator holds is read and not used.
    SmallVector<Value> sums = tile.loadSums(to, inC, height, panel);
    for (auto [sum, zero] : llvm::zip(sums, tile.zeros(height, panel)))
      sum = arith::SelectOp::create(b, isFresh, zero, sum);
    sums = w.loop(w.index(0), size, 1, sums, [&](Value i, ValueRange carried) {
      SmallVector<Value> next(carried);
      Value inA = memref::LoadOp::create(b, rowsOfA, ValueRange{i});
      Value begin = w.plus(arith::IndexCastOp::create(b, b.getIndexType(), inA), column);
      auto left = [&](int64_t j) { return w.plus(begin, w.index(j * x.m.a)); };
      tile.addProducts(next, panel, w.memoryOf(x.a), left, scratch, w.times(i, panel.width()), /*packed=*/true,
                       TileCode::Adds::rounded);
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
  Value scratch, rowsOfA, vacant;
};

} // namespace

void codegen::writeScatteredProducts(KernelWriter &writer, ein::ScatterAddOp op,
                                     const ein::ScatteredProducts &products) {
  ProductScatterWriter(writer, op, products).run();
}

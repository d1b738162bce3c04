//===- GroupedTiles.cpp - products of a table's slices with their rows ----===//
//
// Rows that chose the same slice of a table share one matrix product, however far apart they are stored:
//
//   sort the rows by position, for each panel of the table's columns          (units: cut in chunks)
//     for each position that rows hold, for each block of 256 summed elements
//       pack the panel's rows of the slice
//       for each `height` of the position's rows: a tile
//
// All summands of an element come from one slice, so grouping changes no order of a sum.
//
//===----------------------------------------------------------------------===//
#include "RowGroups.h"
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes a grouped contraction as the loops above, on vector registers. AmxTiles.cpp does so on the matrix unit.
class GroupedTileWriter {
public:
  GroupedTileWriter(KernelWriter &writer, ein::GroupedNest grouped)
      : w(writer), b(writer.b), nest(std::move(grouped)), x(nest.product),
        element(cast<RankedTensorType>(x.c.getType()).getElementType()), tile(writer, element), rowsOfA(writer, x.a),
        groups(writer, nest.part, nest.rows, writer.addAccess(nest.part.gather, nest.part.extent)) {}

  // Every call sorts all rows again: a counting sort, O(rows + positions), which is small beside the products.
  void run() {
    int64_t panels = llvm::divideCeil(x.n.extent, tile.width()), sums = std::min(x.k.extent, sumBlock);
    scratch = w.scratch(sums * tile.width(), element);
    // Narrow rows are widened once for a tile, and not in each of its steps.
    if (rowsOfA.isConverted())
      widened = w.scratch(tallest * sums, element);
    depthOfA = LoopOffsets(w, x.depth, x.k, &LoopDim::a, sums);
    depthOfB = LoopOffsets(w, x.depth, x.k, &LoopDim::b, sums);
    columns = LoopOffsets(w, {}, x.n, &LoopDim::b, tile.width());
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(panels);
    auto [lower, upper] = w.cut(x.units() * panels);
    groups.sort();
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value number = at.pop_back_val();
      firstColumn = w.times(number, tile.width());
      Offsets from = moved(w, {x.n}, {firstColumn}, moved(w, x.outer, at, firstOffsets(w, x)));
      tile.forPanel(x.n.extent, number, [&](const Panel &panel) { writeUnit(from, panel); });
      return {};
    });
  }

private:
  // One panel of c for all rows, slice by slice. Slices that no row chose are skipped.
  void writeUnit(Offsets from, const Panel &panel) {
    groups.forEachPart([&](Value part, Value begin, Value end) {
      Offsets at = from;
      at.b = w.plus(at.b, w.times(part, nest.part.stride));
      either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, begin, end),
             [&] { forEachBlock(w, x, at, [&](const SumBlock &block) { writeBlock(block, begin, end, panel); }); });
    });
  }

  // Packs the panel's rows of the slice, then meets them with the rows [begin, end) of the sorted order.
  void writeBlock(SumBlock block, Value begin, Value end, const Panel &panel) {
    depthOfA.fill(w, block.first, block.size);
    depthOfB.fill(w, block.first, block.size);
    block.at.a = w.plus(block.at.a, depthOfA.begin(w, block.first));
    block.at.b = w.plus(block.at.b, depthOfB.begin(w, block.first));
    packPanel(w, x, {block.at.b, depthOfB, columns, firstColumn, {}}, block.size, panel, scratch);
    // Tiles of full height first, then of 2 and of 1 rows: the number of rows is known only at run time, and each
    // height has its own code.
    for (int64_t height : {tile.heightOf(panel, x.pairs), int64_t(2), int64_t(1)}) {
      Value count = arith::DivUIOp::create(b, arith::SubIOp::create(b, end, begin), w.index(height));
      Value next = w.plus(begin, w.times(count, height));
      w.loop(begin, next, height, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
        writeTile(block, row, height, panel);
        return {};
      });
      begin = next;
    }
  }

  // `height` rows by one panel, as in Tiles.cpp, but each row has its own offset.
  void writeTile(const SumBlock &block, Value row, int64_t height, const Panel &panel) {
    SmallVector<Offsets> rows;
    for (int64_t i = 0; i < height; ++i)
      rows.push_back(groups.rowAt(w.plus(row, w.index(i)), {block.at.a, {}, block.at.c}));
    auto inC = [&](int64_t i) { return rows[i].c; };
    tile.prefetch(w.memoryOf(x.c), inC, height, panel);
    if (widened)
      widenRows(
          w, rowsOfA, [&](int64_t i) { return rows[i].a; }, depthOfA, block.size, height, {tile.lanes, tile.lanes},
          widened, block.size);
    auto step = [&](Value k, MutableArrayRef<Value> into) {
      Value column = widened ? k : depthOfA.at(w, k);
      auto left = [&](int64_t i) { return w.plus(widened ? w.index(i * block.size) : rows[i].a, column); };
      tile.addProducts(into, panel, widened ? widened : rowsOfA.memory, left, {scratch, element},
                       w.times(k, panel.width()), /*packed=*/true);
    };
    if (x.pairs)
      return tile.addPairs(w.memoryOf(x.c), inC, height, panel, block.size, block.adds, step);
    tile.writeSums(w.memoryOf(x.c), inC, panel, tile.sumSteps(block.size, tile.zeros(height, panel), step), block.adds);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::GroupedNest nest;
  const MatmulNest &x;
  Type element;
  TileCode tile;
  Factor rowsOfA;
  RowGroups groups;
  Value scratch, widened, firstColumn; // a panel of b, rows of a that is narrow
  LoopOffsets depthOfA, depthOfB, columns;
};

} // namespace

void codegen::writeGroupedTiles(KernelWriter &writer, ein::GroupedNest nest) {
  GroupedTileWriter(writer, std::move(nest)).run();
}

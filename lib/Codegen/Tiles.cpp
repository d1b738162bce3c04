//===- Tiles.cpp - contractions by tiles of registers -----------------------===//
//
// A tile is `height` rows of a and one panel of b: its products are summed in registers over one block, then added to c
// in memory, so every element is one ascending chain per block, whatever the tile's shape. Panels lie in the second
// cache while the rows of a stream by; a tile's rows of a lie in the first while it meets the panels of a group:
//
//   for each part of the rows, for each group of panels of b       (units: panels, cut in chunks, of which a group is a run)
//     for each block of 256 summed elements
//       pack the panels' rows of b, if that pays
//       for each `height` rows of a (widened before, if they are narrow), for each panel
//         s[i][v] = 0;  for k in block: s[i][v] = fma(a[i][k], b[k][v], s[i][v]);  c[i][v] (+)= s[i][v]
//
// A sum that is one chain begins each block with c instead of 0, and stores. A block of pairs has two chains for each s, and 32 elements.
//
//===----------------------------------------------------------------------===//
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::packedBytes;

namespace {

constexpr int64_t partLength = 24; // a part's rows are a multiple of every tile's height
constexpr int64_t smallestPart = 192;
constexpr int64_t enoughUnits = 24;  // with fewer the rows are cut, too, for which panels are packed again
constexpr int64_t prefetchFrom = 64; // steps that hide the way of c from memory

class TileWriter {
public:
  TileWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), element(cast<RankedTensorType>(x.c.getType()).getElementType()),
        tile(writer, element), rowsOfA(writer, x.a), packs(x.packs()) {}

  void run() {
    int64_t width = tile.width(), full = x.n.extent / width, panels = llvm::divideCeil(x.n.extent, width);
    int64_t sums = std::min(x.k.extent, sumBlock), parts = chooseParts(panels);
    chooseGroup(sums, full);
    if (rowsOfA.isConverted())
      widened = w.scratch(tallest * sums, element);
    depthOfA = LoopOffsets(w, x.depth, x.k, &LoopDim::a, sums);
    depthOfB = LoopOffsets(w, x.depth, x.k, &LoopDim::b, sums);
    columns = LoopOffsets(w, x.columns, x.n, &LoopDim::b, group * width);
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(parts);
    auto [lower, upper] = w.cut(x.units() * parts * panels);
    Value count = w.index(panels), firstRow = arith::DivUIOp::create(b, lower, count);
    w.loop(firstRow, arith::CeilDivUIOp::create(b, upper, count), 1, {},
           [&](Value row, ValueRange) -> SmallVector<Value> {
             // Of the row's panels those that the chunk has.
             Value first = w.times(row, panels), behind = w.plus(first, count);
             Value begin = arith::SubIOp::create(b, arith::MaxUIOp::create(b, lower, first), first);
             Value end = arith::SubIOp::create(b, arith::MinUIOp::create(b, upper, behind), first);
             SmallVector<Value> at = w.delinearize(row, extents);
             Value part = at.pop_back_val();
             Offsets from = moved(w, {x.m}, {w.times(part, length)}, moved(w, x.outer, at, firstOffsets(w, x)));
             if (full) {
               Value last = arith::MinUIOp::create(b, end, w.index(full));
               w.loop(begin, last, group, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
                 Value rest = arith::SubIOp::create(b, last, number);
                 writeGroup(from, part, number, arith::MinUIOp::create(b, rest, w.index(group)), tile.full());
                 return {};
               });
             }
             if (full < panels)
               either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, count),
                      [&] { writeGroup(from, part, w.index(full), w.index(1), tile.last(x.n.extent)); });
             return {};
           });
  }

private:
  // Few units: the rows are cut too, but not so that packing would cost much.
  int64_t chooseParts(int64_t panels) {
    int64_t wanted = llvm::divideCeil(std::min(chunksOf(w.kernel.getNs()), enoughUnits), x.units() * panels);
    int64_t parts = std::clamp<int64_t>(x.m.extent / smallestPart, 1, wanted);
    length = llvm::alignTo(llvm::divideCeil(x.m.extent, parts), partLength);
    return llvm::divideCeil(x.m.extent, length);
  }

  void chooseGroup(int64_t sums, int64_t full) {
    if (!packs)
      return;
    int64_t widest = full ? tile.width() : tile.last(x.n.extent).width();
    int64_t bytes = sums * widest * int64_t(element.getIntOrFloatBitWidth() / 8);
    group = std::clamp<int64_t>(packedBytes / bytes, 1, std::max<int64_t>(full, 1));
    scratch = w.scratch(group * sums * widest, element);
  }

  // Panels of one width, from number `first` on.
  void writeGroup(Offsets from, Value part, Value first, Value count, const Panel &panel) {
    Value rows = w.index(x.m.extent);
    if (x.m.extent > length)
      rows = arith::MinUIOp::create(b, arith::SubIOp::create(b, rows, w.times(part, length)), w.index(length));
    Value column = w.times(first, tile.width());
    columns.fill(w, column, w.times(count, panel.width()));
    // A table of columns has their whole offsets.
    if (!columns.isTable())
      from.b = w.plus(from.b, w.times(column, x.n.b));
    int64_t height = std::min(tile.heightOf(panel, x.pairs), x.m.extent), rest = x.m.extent % height;
    forEachBlock(w, x, from, [&](const SumBlock &block) {
      auto [at, size, adds, firstSum] = block;
      depthOfA.fill(w, firstSum, size);
      depthOfB.fill(w, firstSum, size);
      at.a = w.plus(at.a, depthOfA.begin(w, firstSum));
      at.b = w.plus(at.b, depthOfB.begin(w, firstSum));
      if (packs)
        eachPanel(count, [&](Value number) {
          Value before = w.times(number, panel.width());
          packPanel(w, x, {at.b, depthOfB, columns, w.plus(column, before), before}, size, panel, scratch,
                    w.times(number, size * panel.width()));
        });
      auto writeRow = [&](Value row, int64_t rowsAtOnce) {
        Offsets here = moved(w, {x.m}, {row}, at);
        if (widened)
          widenRows(
              w, rowsOfA, [&](int64_t i) { return w.plus(here.a, w.index(i * x.m.a)); }, depthOfA, size, rowsAtOnce,
              {tile.lanes, tile.lanes}, widened, size);
        eachPanel(count, [&](Value number) {
          writeTile(here, {number, w.plus(column, w.times(number, panel.width()))}, rowsAtOnce, size, panel, adds);
        });
      };
      Value tiles = arith::DivUIOp::create(b, rows, w.index(height));
      w.loop(w.index(0), tiles, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        writeRow(w.times(number, height), height);
        return {};
      });
      if (!rest)
        return;
      // Only the last part has rows left.
      Value done = w.times(tiles, height);
      either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, done, rows), [&] { writeRow(done, rest); });
    });
  }

  void eachPanel(Value count, llvm::function_ref<void(Value)> write) {
    w.loop(w.index(0), count, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
      write(number);
      return {};
    });
  }

  // A panel of a group: its number there, and the column of the product that it begins with.
  struct PanelAt {
    Value number, column;
  };

  void writeTile(Offsets at, PanelAt in, int64_t height, int64_t size, const Panel &panel, Value adds) {
    Value to = w.memoryOf(x.c), first = inRowOfC(in.column);
    auto inC = [&](int64_t row) { return w.plus(w.plus(at.c, first), w.index(row * x.m.c)); };
    bool together = x.run() == x.n.extent;
    if (size >= prefetchFrom) { // it comes while its sums are computed
      SmallVector<Value> places;
      for (int64_t v = 0; !together && v < panel.vectors; ++v)
        places.push_back(fromFirst(in.column, v * panel.lanes));
      tile.prefetch(to, inC, height, panel, places);
    }
    auto step = [&](Value k, MutableArrayRef<Value> into) { writeStep(at, in, k, size, panel, into); };
    auto sumsFrom = [&](SmallVector<Value> start) { return tile.sumSteps(size, std::move(start), step); };
    if (x.chains || x.pairs) { // the panel's row as in two parts, of which the second may be empty
      SmallVector<SplitLanes> split = together ? SmallVector<SplitLanes>() : splitRow(in.column, panel);
      if (x.pairs)
        return tile.addPairs(to, inC, height, panel, size, adds, step, split);
      SmallVector<Value> sums = sumsFrom(tile.startSums(to, inC, height, panel, adds, split));
      return tile.storeSums(to, inC, panel, sums, split);
    }
    SmallVector<Value> sums = sumsFrom(tile.zeros(height, panel));
    if (together)
      return tile.writeSums(to, inC, panel, sums, adds);
    Value behind = w.plus(turnOf(in.column).second, w.index(panel.columns));
    either(
        w, arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, behind, w.index(x.run())),
        [&] { tile.writeSums(to, inC, panel, sums, adds, splitRow(in.column, panel)); },
        [&] { tile.writeSums(to, inC, panel, sums, adds); });
  }

  void writeStep(Offsets at, PanelAt in, Value k, int64_t size, const Panel &panel, MutableArrayRef<Value> sums) {
    Value row = packs ? w.plus(w.times(in.number, size * panel.width()), w.times(k, panel.width()))
                      : w.plus(at.b, w.plus(w.times(in.number, panel.width()), depthOfB.at(w, k)));
    Value column = widened ? k : w.plus(at.a, depthOfA.at(w, k));
    auto left = [&](int64_t i) { return w.plus(column, w.index(i * (widened ? size : x.m.a))); };
    tile.addProducts(sums, panel, widened ? widened : rowsOfA.memory, left,
                     packs ? Factor(scratch, element) : Factor(w, x.b), row, packs);
  }

  // The turn of the slowest loop of columns in which a column is, and its number there.
  std::pair<Value, Value> turnOf(Value column) {
    Value run = w.index(x.run());
    return {arith::DivUIOp::create(b, column, run), arith::RemUIOp::create(b, column, run)};
  }

  // Where a column lies in a row of c.
  Value inRowOfC(Value column) {
    if (x.run() == x.n.extent)
      return column;
    auto [turn, inTurn] = turnOf(column);
    return w.plus(w.times(turn, x.columns.front().c), inTurn);
  }

  // How far the column so many behind it lies from it.
  Value fromFirst(Value column, int64_t behind) {
    return arith::SubIOp::create(b, inRowOfC(w.plus(column, w.index(behind))), inRowOfC(column));
  }

  // The vectors of a panel whose columns are of more than one turn.
  SmallVector<SplitLanes> splitRow(Value column, const Panel &panel) {
    SmallVector<SplitLanes> split;
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value active = w.index(panel.lanesOf(v).active), first = fromFirst(column, v * panel.lanes);
      Value inTurn = turnOf(w.plus(column, w.index(v * panel.lanes))).second;
      Value end = arith::MinUIOp::create(b, arith::SubIOp::create(b, w.index(x.run()), inTurn), active);
      // Without lanes in the next turn its place may be no memory.
      Value crosses = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, end, active);
      Value second = w.plus(first, w.index(x.columns.front().c - x.run()));
      split.push_back({first, arith::SelectOp::create(b, crosses, second, first), w.mask(panel.lanes, w.index(0), end),
                       w.mask(panel.lanes, end, active)});
    }
    return split;
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  MatmulNest x;
  Type element;
  TileCode tile;
  Factor rowsOfA;
  int64_t length = 0, group = 1;
  bool packs;
  Value scratch, widened; // panels of b, rows of a that is narrow
  LoopOffsets depthOfA, depthOfB, columns;
};

} // namespace

LogicalResult codegen::writeTiles(KernelWriter &writer) {
  FailureOr<ein::ContractOp> op = beginContraction(writer);
  if (failed(op))
    return failure();
  ein::Contraction contraction = ein::analyse(*op);
  if (std::optional<ein::GroupedNest> grouped = ein::asGrouped(contraction)) {
    if (fitsAmx(writer, grouped->product))
      return writeAmxTiles(writer, std::move(*grouped)), success();
    return writeGroupedTiles(writer, std::move(*grouped)), success();
  }
  if (std::optional<MatmulNest> stream = ein::asStream(contraction))
    return writeStream(writer, std::move(*stream)), success();
  MatmulNest product = *ein::asProduct(contraction);
  if (fitsAmx(writer, product))
    return writeAmxTiles(writer, std::move(product)), success();
  return TileWriter(writer, ein::forTiles(std::move(product))).run(), success();
}

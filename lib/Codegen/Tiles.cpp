//===- Tiles.cpp - contractions by register tiles -------------------------===//
//
// A tile is `height` rows of a and one panel of b. Its products are summed in registers over one block, then added to c
// in memory. So every element is one ascending chain per block, whatever the tile's shape. Panels stay in L2 while the
// rows of a stream by; a tile's rows of a stay in L1 while they meet the panels of a group. The loops are those of Goto
// and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), but a is not packed:
//
//   for each slice of the rows, for each group of panels of b       (units: panels; a group is a run of them)
//     for each block of 256 summed elements
//       pack the panels' rows of b, if that pays
//       for each `height` rows of a (widened before, if they are narrow), for each panel
//         s[i][v] = 0;  for k in block: s[i][v] = fma(a[i][k], b[k][v], s[i][v]);  c[i][v] (+)= s[i][v]
//
// A sum that is one chain starts each block with c instead of 0, and stores it. A block of pairs has 32 elements and
// two chains for each s.
//
// Measured on one core of an Intel Xeon with AVX-512, in training steps of a GPT of D 512, in fractions of fma peak:
// linear forward 0.70, dX 0.69, dW 0.46. dW reads a across its rows. Where the stride is a power of two, single kernels
// fall to 0.16 to 0.30; packing a too would be the remedy.
//
//===----------------------------------------------------------------------===//
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::packedBytes;

namespace {

constexpr int64_t partLength = 24; // rows of a slice: a multiple of every tile's height (3, 4, 6, 8 or 12)
// Least rows of a slice, since each slice packs the panels again. By the shipped rates for AVX-512 that costs 0.06 ns
// an element, beside 2.1 ns for its products with 192 rows: 3 %.
constexpr int64_t smallestPart = 192;
// Units from which the rows are not cut. Not tuned: 24 keep several threads busy.
constexpr int64_t enoughUnits = 24;
// Steps from which c is prefetched. With AVX-512, 64 steps of 24 fmas take 400 ns at 2 fmas a cycle and 2 GHz, longer
// than a read from memory. On a Zen 5 CPU such prefetches took dW of large matrices from 0.60-0.82 to 0.85-0.92 of the
// peak.
constexpr int64_t prefetchFrom = 64;

// Writes one matrix product as the loops above.
class TileWriter {
public:
  TileWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), element(cast<RankedTensorType>(x.c.getType()).getElementType()),
        tile(writer, element), rowsOfA(writer, x.a), packs(x.packs()) {}

  // Chooses slices and groups, allocates scratch, and writes the loop over units of a chunk.
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
             // The chunk covers a range of this slice's panels: full ones in groups, the ragged last one alone.
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
               // Most panels do not cross, and take the unmasked way.
               either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, count),
                      [&] { writeGroup(from, part, w.index(full), w.index(1), tile.last(x.n.extent)); });
             return {};
           });
  }

private:
  // Cuts the rows in slices if there are fewer units than threads could use, but no slice so short that packing costs
  // much. Returns their number.
  int64_t chooseParts(int64_t panels) {
    int64_t wanted = llvm::divideCeil(std::min(chunksOf(w.kernel.getNs()), enoughUnits), x.units() * panels);
    int64_t parts = std::clamp<int64_t>(x.m.extent / smallestPart, 1, wanted);
    length = llvm::alignTo(llvm::divideCeil(x.m.extent, parts), partLength);
    return llvm::divideCeil(x.m.extent, length);
  }

  // A group is as many packed panels as `packedBytes` hold, so that a's rows are read once for all of them.
  void chooseGroup(int64_t sums, int64_t full) {
    if (!packs)
      return;
    int64_t widest = full ? tile.width() : tile.last(x.n.extent).width();
    int64_t bytes = sums * widest * int64_t(element.getIntOrFloatBitWidth() / 8);
    group = std::clamp<int64_t>(packedBytes / bytes, 1, std::max<int64_t>(full, 1));
    scratch = w.scratch(group * sums * widest, element);
  }

  // Writes `count` panels of one width, from number `first` on, for one slice of the rows.
  void writeGroup(Offsets from, Value part, Value first, Value count, const Panel &panel) {
    Value rows = w.index(x.m.extent);
    if (x.m.extent > length)
      rows = arith::MinUIOp::create(b, arith::SubIOp::create(b, rows, w.times(part, length)), w.index(length));
    Value column = w.times(first, tile.width());
    columns.fill(w, column, w.times(count, panel.width()));
    // A table of column offsets includes the first column.
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
      // Narrow rows of a are widened once, then meet every panel: converting in the inner loop would double its work.
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
      // Whole tiles in a loop; the rest of the rows has code of its own height.
      Value tiles = arith::DivUIOp::create(b, rows, w.index(height));
      w.loop(w.index(0), tiles, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        writeRow(w.times(number, height), height);
        return {};
      });
      if (!rest)
        return;
      // Only the last slice has rows left.
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

  // A panel of a group: its number in the group, and its first column of the product.
  struct PanelAt {
    Value number, column;
  };

  // One tile for one block. c is contiguous across the panel (`together`), or each vector may cross into another
  // iteration of the slowest loop of columns.
  void writeTile(Offsets at, PanelAt in, int64_t height, int64_t size, const Panel &panel, Value adds) {
    Value to = w.memoryOf(x.c), first = inRowOfC(in.column);
    auto inC = [&](int64_t row) { return w.plus(w.plus(at.c, first), w.index(row * x.m.c)); };
    bool together = x.run() == x.n.extent;
    if (size >= prefetchFrom) { // c arrives while its sums are computed
      SmallVector<Value> places;
      for (int64_t v = 0; !together && v < panel.vectors; ++v)
        places.push_back(fromFirst(in.column, v * panel.lanes));
      tile.prefetch(to, inC, height, panel, places);
    }
    auto step = [&](Value k, MutableArrayRef<Value> into) { writeStep(at, in, k, size, panel, into); };
    auto sumsFrom = [&](SmallVector<Value> start) { return tile.sumSteps(size, std::move(start), step); };
    if (x.chains || x.pairs) { // as two runs in any case, of which the second may be empty
      SmallVector<SplitLanes> split = together ? SmallVector<SplitLanes>() : splitRow(in.column, panel);
      if (x.pairs)
        return tile.addPairs(to, inC, height, panel, size, adds, step, split);
      SmallVector<Value> sums = sumsFrom(tile.startSums(to, inC, height, panel, adds, split));
      return tile.storeSums(to, inC, panel, sums, split);
    }
    SmallVector<Value> sums = sumsFrom(tile.zeros(height, panel));
    if (together)
      return tile.writeSums(to, inC, panel, sums, adds);
    Value behind = w.plus(iterationOf(in.column).second, w.index(panel.columns));
    either(
        w, arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, behind, w.index(x.run())),
        [&] { tile.writeSums(to, inC, panel, sums, adds, splitRow(in.column, panel)); },
        [&] { tile.writeSums(to, inC, panel, sums, adds); });
  }

  // One summed element: a row of the panel, packed or in place, times one element of each row of a.
  void writeStep(Offsets at, PanelAt in, Value k, int64_t size, const Panel &panel, MutableArrayRef<Value> sums) {
    Value row = packs ? w.plus(w.times(in.number, size * panel.width()), w.times(k, panel.width()))
                      : w.plus(at.b, w.plus(w.times(in.number, panel.width()), depthOfB.at(w, k)));
    Value column = widened ? k : w.plus(at.a, depthOfA.at(w, k));
    auto left = [&](int64_t i) { return w.plus(column, w.index(i * (widened ? size : x.m.a))); };
    tile.addProducts(sums, panel, widened ? widened : rowsOfA.memory, left,
                     packs ? Factor(scratch, element) : Factor(w, x.b), row, packs);
  }

  // The iteration of the slowest loop of columns that a column is in, and its number there.
  std::pair<Value, Value> iterationOf(Value column) {
    Value run = w.index(x.run());
    return {arith::DivUIOp::create(b, column, run), arith::RemUIOp::create(b, column, run)};
  }

  // Offset of a column in a row of c.
  Value inRowOfC(Value column) {
    if (x.run() == x.n.extent)
      return column;
    auto [turn, inTurn] = iterationOf(column);
    return w.plus(w.times(turn, x.columns.front().c), inTurn);
  }

  // Distance in c from a column to the one `behind` columns later.
  Value fromFirst(Value column, int64_t behind) {
    return arith::SubIOp::create(b, inRowOfC(w.plus(column, w.index(behind))), inRowOfC(column));
  }

  // Splits the vectors of a panel in two runs, where they cross into the next iteration of the slowest loop of columns.
  SmallVector<SplitLanes> splitRow(Value column, const Panel &panel) {
    SmallVector<SplitLanes> split;
    for (int64_t v = 0; v < panel.vectors; ++v) {
      Value active = w.index(panel.lanesOf(v).active), first = fromFirst(column, v * panel.lanes);
      Value inTurn = iterationOf(w.plus(column, w.index(v * panel.lanes))).second;
      Value end = arith::MinUIOp::create(b, arith::SubIOp::create(b, w.index(x.run()), inTurn), active);
      // A run without lanes must not address memory that does not exist.
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

// The first that applies: grouped rows, a few rows, the matrix unit, register tiles. All have the same bits.
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

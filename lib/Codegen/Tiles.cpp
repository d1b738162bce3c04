//===- Tiles.cpp - contractions by tiles of registers -----------------------===//
//
// A tile is `height` rows of a and one panel of b: its products are summed in registers over one block, then added to c
// in memory, so every element is one ascending chain per block, whatever the tile's shape. The panel lies in the second
// cache while the rows of a stream by:
//
//   for each part of the rows, for each panel of b             (units: cut in chunks)
//     for each block of 256 summed elements
//       pack the panel's rows of b, if that pays
//       for each `height` rows of a
//         s[i][v] = 0;  for k in block: s[i][v] = fma(a[i][k], b[k][v], s[i][v]);  c[i][v] (+)= s[i][v]
//
//===----------------------------------------------------------------------===//
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

constexpr int64_t packFrom = 48;   // rows that read a panel: from here on copying it pays
constexpr int64_t partLength = 24; // a part's rows are a multiple of every tile's height
constexpr int64_t smallestPart = 192;
constexpr int64_t prefetchFrom = 64; // steps that hide the way of c from memory

class TileWriter {
public:
  TileWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), element(cast<RankedTensorType>(x.c.getType()).getElementType()),
        tile(writer, element) {
    packs = x.n.b != 1 || !x.columns.empty() || x.m.extent >= packFrom;
  }

  void run() {
    int64_t width = tile.width(), panels = llvm::divideCeil(x.n.extent, width), parts = chooseParts(panels);
    if (packs)
      scratch =
          w.scratch(std::min(x.k.extent, sumBlock) * (panels > 1 ? width : tile.last(x.n.extent).width()), element);
    int64_t sums = std::min(x.k.extent, sumBlock);
    depthOfA = LoopOffsets(w, x.depth, x.k, &LoopDim::a, sums);
    depthOfB = LoopOffsets(w, x.depth, x.k, &LoopDim::b, sums);
    columns = LoopOffsets(w, x.columns, x.n, &LoopDim::b, width);
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.append({parts, panels});
    auto [lower, upper] = w.cut(x.units() * parts * panels);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value number = at.pop_back_val(), part = at.pop_back_val();
      firstColumn = w.times(number, width);
      LoopDim n = x.n;
      if (columns.isTable())
        n.b = 0;
      Offsets from =
          moved(w, {x.m, n}, {w.times(part, length), firstColumn}, moved(w, x.outer, at, firstOffsets(w, x)));
      columns.fill(w, firstColumn, width);
      tile.forPanel(x.n.extent, number, [&](const Panel &panel) { writeUnit(from, part, panel); });
      return {};
    });
  }

private:
  // Few units: the rows are cut too, but not so that packing would cost much.
  int64_t chooseParts(int64_t panels) {
    int64_t wanted = llvm::divideCeil(chunksOf(w.kernel.getNs()), x.units() * panels);
    length = llvm::alignTo(std::max<int64_t>(smallestPart, llvm::divideCeil(x.m.extent, wanted)), partLength);
    return llvm::divideCeil(x.m.extent, length);
  }

  void writeUnit(Offsets from, Value part, const Panel &panel) {
    Value rows = w.index(x.m.extent);
    if (x.m.extent > length)
      rows = arith::MinUIOp::create(b, arith::SubIOp::create(b, rows, w.times(part, length)), w.index(length));
    int64_t height = std::min(tile.heightOf(panel), x.m.extent), rest = x.m.extent % height;
    forEachBlock(w, x, from, [&](const SumBlock &block) {
      auto [at, size, adds, first] = block;
      depthOfA.fill(w, first, size);
      depthOfB.fill(w, first, size);
      at.a = w.plus(at.a, depthOfA.begin(w, first));
      at.b = w.plus(at.b, depthOfB.begin(w, first));
      if (packs)
        packPanel(w, x, {at.b, depthOfB, columns, firstColumn}, size, panel, scratch);
      Value count = arith::DivUIOp::create(b, rows, w.index(height));
      w.loop(w.index(0), count, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        writeTile(moved(w, {x.m}, {w.times(number, height)}, at), height, size, panel, adds);
        return {};
      });
      if (!rest)
        return;
      // Only the last part has rows left.
      Value done = w.times(count, height);
      either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, done, rows),
             [&] { writeTile(moved(w, {x.m}, {done}, at), rest, size, panel, adds); });
    });
  }

  void writeTile(Offsets at, int64_t height, int64_t size, const Panel &panel, Value adds) {
    auto inC = [&](int64_t row) { return w.plus(at.c, w.index(row * x.m.c)); };
    if (size >= prefetchFrom) // it comes while its sums are computed
      tile.prefetch(w.memoryOf(x.c), inC, height, panel);
    SmallVector<Value> sums = tile.sumSteps(
        size, tile.zeros(height, panel), [&](Value k, MutableArrayRef<Value> into) { writeStep(at, k, panel, into); });
    tile.writeSums(w.memoryOf(x.c), inC, panel, sums, adds);
  }

  void writeStep(Offsets at, Value k, const Panel &panel, MutableArrayRef<Value> sums) {
    Value row = packs ? w.times(k, panel.width()) : w.plus(at.b, depthOfB.at(w, k));
    Value column = w.plus(at.a, depthOfA.at(w, k));
    auto left = [&](int64_t i) { return w.plus(column, w.index(i * x.m.a)); };
    tile.addProducts(sums, panel, w.memoryOf(x.a), left, packs ? scratch : w.memoryOf(x.b), row, packs);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  MatmulNest x;
  Type element;
  TileCode tile;
  int64_t length = 0;
  bool packs;
  Value scratch, firstColumn;
  LoopOffsets depthOfA, depthOfB, columns;
};

} // namespace

LogicalResult codegen::writeTiles(KernelWriter &writer) {
  FailureOr<ein::ContractOp> op = beginContraction(writer);
  if (failed(op))
    return failure();
  ein::Contraction contraction = ein::analyse(*op);
  if (contraction.part)
    return writeGroupedTiles(writer, *ein::asGrouped(contraction)), success();
  if (std::optional<MatmulNest> stream = ein::asStream(contraction))
    return writeStream(writer, std::move(*stream)), success();
  return TileWriter(writer, *ein::asProduct(contraction)).run(), success();
}

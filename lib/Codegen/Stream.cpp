//===- Stream.cpp - a few rows times a matrix that passes by ----------------===//
//
// A product of one row with a matrix is as fast as the matrix comes from memory, and that is fastest where its rows are read
// whole, several beside each other. So the sums wait in the first cache, and registers hold what a few rows are multiplied by:
//
//   b lies along n:                                               b lies along k:
//     for each block of 256 rows of b                               for each vector of columns, each block of 256 sums
//       s = 0                                                         s = 0
//       for each group of rows                                        for each square of b, turned in registers
//         for each column: for row in group:                            for row in square: s = fma(a[row], b[row], s)
//           s[column] = fma(a[row], b[row][column], s[column])        c (+)= s
//       c (+)= s
//
// Every element is the chain of each block that the definition has. Columns are cut in chunks, of which one call takes
// neighbours together.
//
//===----------------------------------------------------------------------===//
#include "ScalarFunctions.h"
#include "Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

constexpr int64_t sumBytes = 16 << 10;     // of the sums that wait: less than the first cache, beside what passes by
constexpr int64_t leastRowBytes = 3 << 10; // of each row that a chunk reads: shorter ones come slowly
constexpr int64_t leastTurned = 64;        // columns of a chunk of turned squares

class StreamWriter {
public:
  StreamWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), element(cast<RankedTensorType>(x.c.getType()).getElementType()),
        tile(writer, element), left(writer, x.a), right(writer, x.b), turned(x.n.b != 1) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8, held = w.options.vectorBits == 512 ? 16 : 8;
    rowsAtOnce = x.m.extent == 1 ? (inWord() == 1 ? 8 : held) : llvm::bit_floor(uint64_t(held / x.m.extent));
    strip = std::min<int64_t>(llvm::alignDown(sumBytes / bytes / x.m.extent, tile.lanes),
                              llvm::alignTo(x.n.extent, tile.lanes));
    leastPart = turned ? leastTurned : leastRowBytes * inWord() / bytes;
  }

  void run() {
    if (!turned)
      waiting = w.scratch(strip * x.m.extent, element);
    int64_t parts = chooseParts();
    auto [lower, upper] = w.cut(x.units() * parts);
    if (x.outer.empty())
      return writeColumns(firstOffsets(w, x), w.times(lower, length), endOf(upper));
    SmallVector<int64_t> extents = extentsOf(x.outer);
    extents.push_back(parts);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value part = at.pop_back_val();
      writeColumns(moved(w, x.outer, at, firstOffsets(w, x)), w.times(part, length), endOf(w.plus(part, w.index(1))));
      return {};
    });
  }

private:
  // As many as the work asks for, if what they have of a row is long; but rows are halved before, because two cores read
  // faster than one.
  int64_t chooseParts() {
    int64_t wanted = llvm::divideCeil(chunksOf(w.kernel.getNs()), x.units());
    int64_t most = std::max<int64_t>(x.n.extent / leastPart, x.n.extent >= leastPart / 2 ? 2 : 1);
    length = llvm::alignTo(llvm::divideCeil(x.n.extent, std::min(wanted, most)), tile.lanes);
    return llvm::divideCeil(x.n.extent, length);
  }

  Value endOf(Value part) { return arith::MinUIOp::create(b, w.times(part, length), w.index(x.n.extent)); }

  void writeColumns(Offsets from, Value begin, Value end) {
    if (turned)
      return forEachVector(begin, end, [&](Value column, const Panel &panel) {
        forEachBlock(w, x, moved(w, {x.n}, {column}, from), [&](const SumBlock &block) { writeSquares(block, panel); });
      });
    w.loop(begin, end, strip, {}, [&](Value first, ValueRange) -> SmallVector<Value> {
      Value last = arith::MinUIOp::create(b, w.plus(first, w.index(strip)), end);
      forEachBlock(w, x, from, [&](const SumBlock &block) { writeStrip(block, first, last); });
      return {};
    });
  }

  // Vectors of columns; those behind the last whole one are in the last chunk alone.
  void forEachVector(Value begin, Value end, llvm::function_ref<void(Value, const Panel &)> body) {
    int64_t tail = x.n.extent % tile.lanes;
    Value whole = tail ? Value(arith::MinUIOp::create(b, end, w.index(x.n.extent - tail))) : end;
    w.loop(begin, whole, tile.lanes, {}, [&](Value column, ValueRange) -> SmallVector<Value> {
      body(column, {tile.lanes, 1, tile.lanes});
      return {};
    });
    if (tail)
      either(w, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, whole, end),
             [&] { body(whole, {tile.lanes, 1, tail}); });
  }

  void writeStrip(const SumBlock &block, Value first, Value last) {
    auto waitingAt = [&](Value column) {
      Value at = arith::SubIOp::create(b, column, first);
      return [this, at](int64_t row) { return w.plus(at, w.index(row * strip)); };
    };
    if (x.pairs)
      return writePairs(block, first, last);
    int64_t whole = block.size / rowsAtOnce * rowsAtOnce;
    auto group = [&](Value k, int64_t rows, bool isFirst) {
      Offsets at = moved(w, {x.k}, {k}, block.at);
      SmallVector<Value> factors = factorsOf(at, rows);
      forEachVector(first, last, [&](Value column, const Panel &panel) {
        auto sumAt = waitingAt(column);
        SmallVector<Value> sums = isFirst ? startSums(w.plus(block.at.c, column), panel, block.adds)
                                          : tile.loadSums(waiting, sumAt, x.m.extent, wholeVector());
        addRows(sums, factors, w.plus(at.b, column), rows, panel);
        tile.storeSums(waiting, sumAt, wholeVector(), sums);
      });
    };
    group(w.index(0), std::min(rowsAtOnce, block.size), /*isFirst=*/true);
    if (whole > rowsAtOnce)
      w.loop(w.index(rowsAtOnce), w.index(whole), rowsAtOnce, {}, [&](Value k, ValueRange) -> SmallVector<Value> {
        group(k, rowsAtOnce, /*isFirst=*/false);
        return {};
      });
    if (whole && whole < block.size)
      group(w.index(whole), block.size - whole, /*isFirst=*/false);
    forEachVector(first, last, [&](Value column, const Panel &panel) {
      SmallVector<Value> sums = tile.loadSums(waiting, waitingAt(column), x.m.extent, wholeVector());
      addTo(w.plus(block.at.c, column), sums, panel, block.adds);
    });
  }

  // Both chains of a block of 32 rows wait in registers, while these pass by together.
  void writePairs(const SumBlock &block, Value first, Value last) {
    auto rowsFrom = [&](Value k, int64_t rows, Value adds) {
      Offsets at = moved(w, {x.k}, {k}, block.at);
      SmallVector<Value> factors = factorsOf(at, rows);
      forEachVector(first, last, [&](Value column, const Panel &panel) {
        SmallVector<Value> even = tile.zeros(x.m.extent, panel), odd = even;
        for (int64_t row = 0; row < rows; ++row)
          addRows(row % 2 ? odd : even, ArrayRef(factors).slice(row * x.m.extent, x.m.extent),
                  w.plus(w.plus(at.b, column), w.index(row * x.k.b)), 1, panel);
        endChains(w, even, odd, rows);
        Value c = w.plus(block.at.c, column);
        SmallVector<Value> sums = startSums(c, panel, adds);
        addChains(sums, even, odd);
        addTo(c, sums, panel, adds);
      });
    };
    forEachPairBlock(w, block.size, block.adds, rowsFrom);
  }

  void addChains(MutableArrayRef<Value> sums, ArrayRef<Value> even, ArrayRef<Value> odd) {
    for (auto [sum, e, o] : llvm::zip(sums, even, odd))
      sum = arith::AddFOp::create(b, sum, arith::AddFOp::create(b, e, o));
  }

  // Of each row of a, what so many rows of b are multiplied by.
  SmallVector<Value> factorsOf(const Offsets &at, int64_t rows) {
    SmallVector<Value> factors;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < x.m.extent; ++i)
        factors.push_back(factorAt(w.plus(at.a, w.index(row * x.k.a)), i));
    return factors;
  }

  Value factorAt(Value offset, int64_t i) {
    Value at = w.plus(offset, w.index(i * x.m.a));
    return w.broadcast(left.load(w, element, at, 0, {}), {tile.lanes, tile.lanes});
  }

  void addRows(MutableArrayRef<Value> sums, ArrayRef<Value> factors, Value offset, int64_t rows, const Panel &panel) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at = w.plus(offset, w.index(row * x.k.b));
      // The same of the next rows: short ones, as narrow ones are, end before the processor has seen where they lead.
      memref::PrefetchOp::create(b, right.memory, ValueRange{w.plus(at, w.index(rowsAtOnce * x.k.b))},
                                 /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
      Value columns = right.load(w, element, at, 1, panel.lanesOf(0));
      for (auto [sum, factor] : llvm::zip(sums, factors.slice(row * x.m.extent, x.m.extent)))
        sum = math::FmaOp::create(b, factor, columns, sum);
    }
  }

  // A block of sums of a vector's columns, which lie along k.
  void writeSquares(const SumBlock &block, const Panel &panel) {
    SmallVector<Value> sums = startSums(block.at.c, panel, block.adds);
    if (x.pairs) {
      int64_t whole = block.size / ein::pairBlock * ein::pairBlock;
      auto pairs = [&](Value k, int64_t count, MutableArrayRef<Value> into) {
        SmallVector<Value> both = tile.zeros(2 * x.m.extent, panel);
        sumSquares(both, moved(w, {x.k}, {k}, block.at), count, panel);
        MutableArrayRef<Value> even = MutableArrayRef(both).take_front(x.m.extent);
        MutableArrayRef<Value> odd = MutableArrayRef(both).drop_front(x.m.extent);
        endChains(w, even, odd, count);
        addChains(into, even, odd);
      };
      if (whole)
        sums = w.loop(w.index(0), w.index(whole), ein::pairBlock, sums, [&](Value k, ValueRange carried) {
          SmallVector<Value> next(carried);
          pairs(k, ein::pairBlock, next);
          return next;
        });
      if (whole < block.size)
        pairs(w.index(whole), block.size - whole, sums);
      return addTo(block.at.c, sums, panel, block.adds);
    }
    int64_t step = tile.lanes * inWord(), whole = block.size / step * step;
    if (whole)
      sums = w.loop(w.index(0), w.index(whole), step, sums, [&](Value k, ValueRange carried) {
        SmallVector<Value> next(carried);
        addSquare(next, moved(w, {x.k}, {k}, block.at), panel);
        return next;
      });
    sumSquares(sums, moved(w, {x.k}, {w.index(whole)}, block.at), block.size - whole, panel);
    addTo(block.at.c, sums, panel, block.adds);
  }

  // So many rows of b, in whole squares and parts of one.
  void sumSquares(MutableArrayRef<Value> sums, const Offsets &from, int64_t count, const Panel &panel) {
    int64_t step = tile.lanes * inWord(), row = 0;
    auto at = [&] { return moved(w, {x.k}, {w.index(row)}, from); };
    for (; row + step <= count; row += step)
      addSquare(sums, at(), panel);
    for (; row < count; row += tile.lanes)
      addPart(sums, at(), std::min(count - row, tile.lanes), panel);
  }

  // Elements of b that are as wide as a sum.
  int64_t inWord() const { return element.getIntOrFloatBitWidth() / right.element.getIntOrFloatBitWidth(); }

  // Words are turned, which hold several neighbours if b is narrow.
  void addSquare(MutableArrayRef<Value> sums, const Offsets &at, const Panel &panel) {
    unsigned bits = element.getIntOrFloatBitWidth(), held = right.element.getIntOrFloatBitWidth();
    auto words = VectorType::get({tile.lanes}, b.getIntegerType(bits));
    auto read = VectorType::get({tile.lanes * inWord()}, storedType(right.element));
    SmallVector<Value> square(tile.lanes, arith::ConstantOp::create(b, b.getZeroAttr(words)));
    forEachColumn(at, panel, [&](int64_t column, Value begin) {
      square[column] = vector::BitCastOp::create(b, words, vector::LoadOp::create(b, read, right.memory, begin));
    });
    turnSquare(b, square);
    for (int64_t row = 0; row < tile.lanes; ++row)
      for (int64_t i = 0; i < inWord(); ++i) {
        Value word = square[row];
        if (i) {
          Value shift = arith::ConstantOp::create(b, DenseElementsAttr::get(words, APInt(bits, i * held)));
          word = arith::ShRUIOp::create(b, word, shift);
        }
        addRow(sums, at.a, row * inWord() + i, ofWord(word));
      }
  }

  // Its lowest bits, widened.
  Value ofWord(Value word) {
    unsigned held = right.element.getIntOrFloatBitWidth();
    if (inWord() == 1)
      return right.convert(w, element, vector::BitCastOp::create(b, VectorType::get({tile.lanes}, element), word));
    Value part = arith::TruncIOp::create(b, VectorType::get({tile.lanes}, b.getIntegerType(held)), word);
    return right.convert(w, element, part);
  }

  // Fewer rows than a square has.
  void addPart(MutableArrayRef<Value> sums, const Offsets &at, int64_t rows, const Panel &panel) {
    SmallVector<Value> square(tile.lanes, tile.zeros(1, panel).front());
    forEachColumn(at, panel, [&](int64_t column, Value begin) {
      square[column] = right.load(w, element, begin, 1, {tile.lanes, rows});
    });
    turnSquare(b, square);
    for (int64_t row = 0; row < rows; ++row)
      addRow(sums, at.a, row, square[row]);
  }

  // Columns of b are read one after the other, and the same of the next vector's columns is asked for: what comes from
  // memory by lines of so many rows would come late.
  void forEachColumn(const Offsets &at, const Panel &panel, llvm::function_ref<void(int64_t, Value)> read) {
    for (int64_t column = 0; column < panel.columns; ++column) {
      Value begin = w.plus(at.b, w.index(column * x.n.b));
      memref::PrefetchOp::create(b, right.memory, ValueRange{w.plus(begin, w.index(tile.lanes * x.n.b))},
                                 /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
      read(column, begin);
    }
  }

  // A row of a square, to the chains of its parity if there are two; squares have even numbers of rows.
  void addRow(MutableArrayRef<Value> sums, Value a, int64_t number, Value row) {
    Value from = w.plus(a, w.index(number * x.k.a));
    for (int64_t i = 0; i < x.m.extent; ++i) {
      Value &sum = sums[(x.pairs ? number % 2 : 0) * x.m.extent + i];
      sum = math::FmaOp::create(b, factorAt(from, i), row, sum);
    }
  }

  // A chain and pairs go on from c, a block begins at 0 and is added to it.
  SmallVector<Value> startSums(Value c, const Panel &panel, Value adds) {
    auto inC = [&](int64_t row) { return w.plus(c, w.index(row * x.m.c)); };
    return x.chains || x.pairs ? tile.startSums(w.memoryOf(x.c), inC, x.m.extent, panel, adds)
                               : tile.zeros(x.m.extent, panel);
  }

  void addTo(Value c, ArrayRef<Value> sums, const Panel &panel, Value adds) {
    auto inC = [&](int64_t row) { return w.plus(c, w.index(row * x.m.c)); };
    if (x.chains || x.pairs)
      return tile.storeSums(w.memoryOf(x.c), inC, panel, sums);
    tile.writeSums(w.memoryOf(x.c), inC, panel, sums, adds);
  }

  // What waits has room for whole vectors.
  Panel wholeVector() const { return {tile.lanes, 1, tile.lanes}; }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  MatmulNest x;
  Type element;
  TileCode tile;
  Factor left, right; // a and b
  bool turned;
  int64_t rowsAtOnce, strip, leastPart, length = 0;
  Value waiting;
};

} // namespace

void codegen::writeStream(KernelWriter &writer, MatmulNest product) { StreamWriter(writer, std::move(product)).run(); }

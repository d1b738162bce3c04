//===- Stream.cpp - a few rows times a matrix that is read once -----------===//
//
// The product of a few rows with a matrix is as fast as memory delivers the matrix. That is fastest if its rows are
// read whole, several at once. So the sums wait in L1, and registers hold the factors of a few rows:
//
//   b contiguous along n:                                         b contiguous along k:
//     for each block of 256 rows of b                               for each vector of columns, each block of 256 sums
//       s = 0                                                         s = 0
//       for each group of rows                                        for each square of b, transposed in registers
//         for each column: for row in group:                            for row in square: s = fma(a[row], b[row], s)
//           s[column] = fma(a[row], b[row][column], s[column])        c (+)= s
//       c (+)= s
//
// Every element is the chain of each block that the numerics define. Columns are cut in chunks; one call takes
// neighbouring chunks together.
//
// Measured on two idle cores of an Intel CPU with AVX-512: GPT-2 small decodes in f32 at 21.7 GB/s of weights, where a
// plain sum reads 28.1 GB/s (bench/results.csv).
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

// Bytes of the waiting sums: a third of an L1 of 48 KiB, so that rows of b pass through the rest. Not tuned further.
constexpr int64_t sumBytes = 16 << 10;
// Bytes that a chunk reads of each row of b, at least. Not tuned: hardware prefetch works within a page of 4 KiB, and
// short pieces of many pages come slowly.
constexpr int64_t leastRowBytes = 3 << 10;
// Columns of a chunk where b is transposed, at least. Not tuned: each column is a contiguous run of its own, so few
// suffice.
constexpr int64_t leastTurned = 64;

// Writes a product of at most `mostStreamRows` rows.
class StreamWriter {
public:
  StreamWriter(KernelWriter &writer, MatmulNest product)
      : w(writer), b(writer.b), x(std::move(product)), element(cast<RankedTensorType>(x.c.getType()).getElementType()),
        tile(writer, element), left(writer, x.a), right(writer, x.b), turned(x.n.b != 1) {
    // Rows of b that pass at once. One row of a: 8 of f32; 16 narrow ones, which have as many bytes (8 with the 16
    // registers of AVX2). More rows of a share the registers: one factor for each pair of rows.
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
    // One product: a chunk is a contiguous range of columns, so its slices are one loop.
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
  // Cuts the columns in as many slices as threads could use, if each has long pieces of the rows. Rows are halved
  // before that, since two cores read faster than one: 28.1 GB/s beside 14.2 on an Intel CPU with AVX-512.
  int64_t chooseParts() {
    int64_t wanted = llvm::divideCeil(chunksOf(w.kernel.getNs()), x.units());
    int64_t most = std::max<int64_t>(x.n.extent / leastPart, x.n.extent >= leastPart / 2 ? 2 : 1);
    length = llvm::alignTo(llvm::divideCeil(x.n.extent, std::min(wanted, most)), tile.lanes);
    return llvm::divideCeil(x.n.extent, length);
  }

  Value endOf(Value part) { return arith::MinUIOp::create(b, w.times(part, length), w.index(x.n.extent)); }

  // Columns [begin, end): vector by vector if b is transposed, else in strips whose sums fit L1.
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

  // Calls `body` for each vector of columns. Only the last slice has a ragged vector.
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

  // One block for one strip: the first group of rows starts the sums, others add to them, and the end moves them to c.
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

  // Pairs: both chains of a block of 32 rows stay in registers, so the 32 rows pass together.
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

  // The factors of `rows` rows of b, for each row of a, each broadcast to a register.
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

  // Adds `rows` rows of b, each times its factors.
  void addRows(MutableArrayRef<Value> sums, ArrayRef<Value> factors, Value offset, int64_t rows, const Panel &panel) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at = w.plus(offset, w.index(row * x.k.b));
      // Prefetches the next group's rows: short rows end before the hardware prefetcher has seen where they lead.
      memref::PrefetchOp::create(b, right.memory, ValueRange{w.plus(at, w.index(rowsAtOnce * x.k.b))},
                                 /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
      Value columns = right.load(w, element, at, 1, panel.lanesOf(0));
      for (auto [sum, factor] : llvm::zip(sums, factors.slice(row * x.m.extent, x.m.extent)))
        sum = math::FmaOp::create(b, factor, columns, sum);
    }
  }

  // One block for one vector of columns that are contiguous along k.
  void writeSquares(const SumBlock &block, const Panel &panel) {
    SmallVector<Value> sums = startSums(block.at.c, panel, block.adds);
    if (x.pairs) {
      int64_t whole = block.size / ein::pairBlock * ein::pairBlock;
      auto pairs = [&](Value k, int64_t count, MutableArrayRef<Value> into) {
        // Even chains first, odd ones behind: `addRow` chooses by the row's parity.
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

  // Adds `count` rows of b: whole squares, then a part of one.
  void sumSquares(MutableArrayRef<Value> sums, const Offsets &from, int64_t count, const Panel &panel) {
    int64_t step = tile.lanes * inWord(), row = 0;
    auto at = [&] { return moved(w, {x.k}, {w.index(row)}, from); };
    for (; row + step <= count; row += step)
      addSquare(sums, at(), panel);
    for (; row < count; row += tile.lanes)
      addPart(sums, at(), std::min(count - row, tile.lanes), panel);
  }

  // Elements of b in a word as wide as a sum.
  int64_t inWord() const { return element.getIntOrFloatBitWidth() / right.element.getIntOrFloatBitWidth(); }

  // Transposes a square of words. With a narrow b each word holds neighbouring rows, so a square covers more
  // rows.
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

  // The element in a word's lowest bits, widened.
  Value ofWord(Value word) {
    unsigned held = right.element.getIntOrFloatBitWidth();
    if (inWord() == 1)
      return right.convert(w, element, vector::BitCastOp::create(b, VectorType::get({tile.lanes}, element), word));
    Value part = arith::TruncIOp::create(b, VectorType::get({tile.lanes}, b.getIntegerType(held)), word);
    return right.convert(w, element, part);
  }

  // Adds a square with fewer rows than lanes.
  void addPart(MutableArrayRef<Value> sums, const Offsets &at, int64_t rows, const Panel &panel) {
    SmallVector<Value> square(tile.lanes, tile.zeros(1, panel).front());
    forEachColumn(at, panel, [&](int64_t column, Value begin) {
      square[column] = right.load(w, element, begin, 1, {tile.lanes, rows});
    });
    turnSquare(b, square);
    for (int64_t row = 0; row < rows; ++row)
      addRow(sums, at.a, row, square[row]);
  }

  // Reads the columns of a square, and prefetches those of the next vector's: memory would deliver their short runs
  // late.
  void forEachColumn(const Offsets &at, const Panel &panel, llvm::function_ref<void(int64_t, Value)> read) {
    for (int64_t column = 0; column < panel.columns; ++column) {
      Value begin = w.plus(at.b, w.index(column * x.n.b));
      memref::PrefetchOp::create(b, right.memory, ValueRange{w.plus(begin, w.index(tile.lanes * x.n.b))},
                                 /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
      read(column, begin);
    }
  }

  // Adds a row of a square; with pairs to the chain of its parity. Squares have even numbers of rows.
  void addRow(MutableArrayRef<Value> sums, Value a, int64_t number, Value row) {
    Value from = w.plus(a, w.index(number * x.k.a));
    for (int64_t i = 0; i < x.m.extent; ++i) {
      Value &sum = sums[(x.pairs ? number % 2 : 0) * x.m.extent + i];
      sum = math::FmaOp::create(b, factorAt(from, i), row, sum);
    }
  }

  // Chains and pairs continue from c. Blocks start at 0 and are added to c.
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

  // Waiting sums have room for whole vectors.
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

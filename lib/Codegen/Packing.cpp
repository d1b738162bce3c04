//===- Packing.cpp - packs panels of a contraction's factors --------------===//
#include "Packing.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

// No table if each loop continues where the next faster one ends.
LoopOffsets::LoopOffsets(KernelWriter &w, ArrayRef<LoopDim> loops, LoopDim whole, int64_t LoopDim::*step, int64_t most)
    : loops(loops), step(step), stride(whole.*step) {
  bool walksAsOne = true;
  for (size_t i = 1; i < loops.size(); ++i)
    walksAsOne &= loops[i - 1].*step == loops[i].*step * loops[i].extent;
  if (!walksAsOne)
    table = w.scratch(most, w.b.getI32Type());
}

void LoopOffsets::fill(KernelWriter &w, Value first, int64_t count) const {
  if (table)
    fill(w, first, w.index(count));
}

void LoopOffsets::fill(KernelWriter &w, Value first, Value count) const {
  if (!table)
    return;
  SmallVector<int64_t> extents = extentsOf(loops);
  // Offsets are computed once for a panel, and not for each of its rows: they take divisions.
  w.loop(w.index(0), count, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    Value offset;
    for (auto [loop, at] : llvm::zip(loops, w.delinearize(w.plus(first, i), extents)))
      offset = w.plus(offset, w.times(at, loop.*step));
    Value narrow = arith::IndexCastOp::create(w.b, w.b.getI32Type(), offset);
    memref::StoreOp::create(w.b, narrow, table, ValueRange{i});
    return {};
  });
}

Value LoopOffsets::at(KernelWriter &w, Value i) const {
  if (!table)
    return w.times(i, stride);
  return arith::IndexCastOp::create(w.b, w.b.getIndexType(), memref::LoadOp::create(w.b, table, ValueRange{i}));
}

Value LoopOffsets::lanesAt(KernelWriter &w, Value i, int64_t lanes) const {
  auto type = VectorType::get({lanes}, w.b.getI32Type());
  if (table)
    return vector::LoadOp::create(w.b, type, table, ValueRange{i});
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(int32_t(lane * stride));
  Value begin = arith::IndexCastOp::create(w.b, w.b.getI32Type(), w.times(i, stride));
  return arith::AddIOp::create(w.b, vector::BroadcastOp::create(w.b, type, begin),
                               arith::ConstantOp::create(w.b, w.b.getI32VectorAttr(steps)));
}

Value LoopOffsets::begin(KernelWriter &w, Value first) const {
  // A table has the offset of its first element already.
  return table || loops.empty() ? Value() : w.times(first, stride);
}

namespace {

// Packs one panel by the cheapest way that its layout allows. packPanel chooses the way.
class Packer {
public:
  Packer(KernelWriter &writer, const MatmulNest &product, const PanelSource &source, int64_t size, const Panel &panel,
         Value scratch, Value first)
      : w(writer), b(writer.b), x(product), source(source), size(size), panel(panel), from(writer, product.b),
        to(scratch), first(first), element(cast<MemRefType>(scratch.getType()).getElementType()) {
    if (isa<IntegerType>(element)) // the bits of what it is
      element = from.read;
  }

  // Rows are contiguous: whole vectors are copied.
  void copyRows() {
    each(size, 1, [&](Value k) {
      for (int64_t v = 0; v < panel.vectors; ++v) {
        Value column = w.index(v * panel.lanes);
        Value row = from.load(w, element, at(k, column), 1, panel.lanesOf(v));
        w.store(row, to, target(k, column), 1, {panel.lanes, panel.lanes});
      }
    });
  }

  // Columns are contiguous: squares of lanes x lanes elements are transposed in registers.
  void turnColumns() {
    // A ragged edge is a square as well, filled up with zeros.
    int64_t whole = panel.columns / panel.lanes * panel.lanes;
    each(whole, panel.lanes, [&](Value column) { turnColumns(column, panel.lanes); });
    if (whole < panel.columns)
      turnColumns(w.index(whole), panel.columns - whole);
  }

  // Columns of several loops, as the windows of a convolution: contiguous runs are read as masked vectors and merged;
  // other columns are gathered.
  void gatherRows() {
    SmallVector<SmallVector<Run>> runs;
    for (int64_t v = 0; v < panel.vectors; ++v)
      runs.push_back(runsOf(v));
    each(size, 1, [&](Value k) {
      Value row = w.plus(source.offset, source.rows.at(w, k));
      for (int64_t v = 0; v < panel.vectors; ++v) {
        Value column = w.index(v * panel.lanes), read = runs[v].empty() ? gather(row, column, v) : zeros();
        for (const Run &run : runs[v])
          read = vector::MaskedLoadOp::create(b, cast<VectorType>(read.getType()), from.memory,
                                              ValueRange{w.plus(row, run.offset)}, run.lanes, read);
        w.store(from.convert(w, element, read), to, target(k, column), 1, {panel.lanes, panel.lanes});
      }
    });
  }

private:
  void each(int64_t count, int64_t step, llvm::function_ref<void(Value)> body) {
    if (count)
      w.loop(w.index(0), w.index(count), step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
        body(i);
        return {};
      });
  }

  Value at(Value k, Value column) {
    return w.plus(source.offset, w.plus(source.rows.at(w, k), source.columns.at(w, inSource(column))));
  }

  // A run of lanes that are neighbours in memory: their mask, and the offset that lane 0 would have beside them.
  struct Run {
    Value offset, lanes;
  };

  // The runs of a vector, one for each iteration of the fastest loop that it spans. Empty if a gather is as fast: not
  // tuned, beyond 6 masked loads for 16 lanes.
  SmallVector<Run> runsOf(int64_t v) {
    constexpr int64_t most = 6;
    Lanes lanes = panel.lanesOf(v);
    // Only a loop whose elements are neighbours makes runs.
    if (x.n.b != 1 || x.columns.empty())
      return {};
    int64_t length = x.columns.back().extent, count = 1 + llvm::divideCeil(lanes.active - 1, length);
    if (count > most)
      return {};
    Value column = w.index(v * panel.lanes), turn = w.index(length), active = w.index(lanes.active), begin = w.index(0);
    Value done = arith::RemUIOp::create(b, w.plus(source.first, column), turn);
    Value end = arith::SubIOp::create(b, turn, done);
    SmallVector<Run> runs;
    for (int64_t i = 0; i < count; ++i) {
      // There are no lanes beyond the last column.
      end = arith::MinUIOp::create(b, end, active);
      Value inside = arith::MinUIOp::create(b, begin, w.index(lanes.active - 1));
      Value first = source.columns.at(w, inSource(w.plus(column, inside)));
      runs.push_back({arith::SubIOp::create(b, first, inside), w.mask(panel.lanes, begin, end)});
      begin = end;
      end = w.plus(end, turn);
    }
    return runs;
  }

  // Lanes in the type in memory.
  VectorType heldLanes() const { return VectorType::get({panel.lanes}, storedType(from.element)); }
  Value zeros() { return arith::ConstantOp::create(b, b.getZeroAttr(heldLanes())); }

  Value gather(Value row, Value column, int64_t v) {
    return vector::GatherOp::create(b, heldLanes(), from.memory, ValueRange{row},
                                    source.columns.lanesAt(w, inSource(column), panel.lanes), w.mask(panel.lanesOf(v)),
                                    zeros());
  }
  Value inSource(Value column) { return w.plus(source.before, column); }
  Value target(Value k, Value column) { return w.plus(first, w.plus(w.times(k, panel.width()), column)); }

  // The squares of `count` columns, all rows of the panel.
  void turnColumns(Value column, int64_t count) {
    int64_t whole = size / panel.lanes * panel.lanes;
    each(whole, panel.lanes, [&](Value k) { turnSquare(k, column, panel.lanes, count); });
    if (whole < size)
      turnSquare(w.index(whole), column, size - whole, count);
  }

  void turnSquare(Value k, Value column, int64_t rows, int64_t columns) {
    auto type = VectorType::get({panel.lanes}, storedType(element));
    SmallVector<Value> square(panel.lanes, arith::ConstantOp::create(b, b.getZeroAttr(type)));
    // Columns become vectors, so a short panel reads fewer of their elements and fills up with zeros.
    for (int64_t i = 0; i < columns; ++i)
      square[i] = from.load(w, element, at(k, w.plus(column, w.index(i))), 1, {panel.lanes, rows});
    codegen::turnSquare(b, square);
    for (int64_t i = 0; i < rows; ++i)
      w.store(square[i], to, target(w.plus(k, w.index(i)), column), 1, {panel.lanes, panel.lanes});
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  const MatmulNest &x;
  const PanelSource &source;
  int64_t size;
  const Panel &panel;
  Factor from;
  Value to, first; // of `to` what is written begins there; null: at 0
  Type element;
};

} // namespace

void codegen::widenRows(KernelWriter &w, const Factor &from, llvm::function_ref<Value(int64_t)> rowAt,
                        const LoopOffsets &depth, int64_t size, int64_t height, Lanes lanes, Value scratch,
                        int64_t apart) {
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  auto copy = [&](Value k, Lanes copied) {
    for (int64_t row = 0; row < height; ++row) {
      Value read = from.load(w, element, w.plus(rowAt(row), depth.at(w, k)), 1, copied);
      w.store(read, scratch, w.plus(k, w.index(row * apart)), 1, copied);
    }
  };
  // Rows that are contiguous along k go in vectors, others element by element.
  int64_t step = depth.isRun() ? lanes.width : 1, whole = size / step * step;
  if (whole)
    w.loop(w.index(0), w.index(whole), step, {}, [&](Value k, ValueRange) -> SmallVector<Value> {
      copy(k, depth.isRun() ? lanes : Lanes());
      return {};
    });
  if (whole < size)
    copy(w.index(whole), {step, size - whole});
}

// One round of a transposition: swaps elements whose row and column numbers differ in the bit `distance`.
static void exchange(ImplicitLocOpBuilder &b, MutableArrayRef<Value> square, int64_t distance) {
  int64_t lanes = square.size();
  for (int64_t i = 0; i < lanes; ++i) {
    if (i & distance)
      continue;
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool other = lane & distance;
      low.push_back(other ? lanes + lane - distance : lane);
      high.push_back(other ? lanes + lane : lane + distance);
    }
    Value first = square[i], second = square[i + distance];
    square[i] = vector::ShuffleOp::create(b, first, second, low);
    square[i + distance] = vector::ShuffleOp::create(b, first, second, high);
  }
}

void codegen::turnSquare(ImplicitLocOpBuilder &b, MutableArrayRef<Value> square) {
  // log2(lanes) rounds, one for each bit of the row and column numbers.
  for (int64_t distance = int64_t(square.size()) / 2; distance; distance /= 2)
    exchange(b, square, distance);
}

// Scattered columns or rows need gathers; else the contiguous axis of b decides.
void codegen::packPanel(KernelWriter &writer, const MatmulNest &product, const PanelSource &source, int64_t size,
                        const Panel &panel, Value scratch, Value to) {
  Packer packer(writer, product, source, size, panel, scratch, to);
  if (source.columns.isTable())
    packer.gatherRows();
  else if (product.n.b == 1)
    packer.copyRows();
  else if (product.k.b == 1 && !source.rows.isTable())
    packer.turnColumns();
  else
    packer.gatherRows();
}

//===- Packing.cpp - panels of a contraction's second operand ---------------===//
#include "Packing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

class Packer {
public:
  Packer(KernelWriter &writer, const MatmulNest &product, Value offset, int64_t size, const Panel &panel, Value scratch)
      : w(writer), b(writer.b), x(product), offset(offset), size(size), panel(panel), from(writer.memoryOf(product.b)),
        to(scratch), element(cast<RankedTensorType>(product.b.getType()).getElementType()) {}

  // Rows as they lie.
  void copyRows() {
    each(size, 1, [&](Value k) {
      for (int64_t v = 0; v < panel.vectors; ++v) {
        Value column = w.index(v * panel.lanes);
        Value row = w.load(from, element, at(k, column), 1, panel.lanesOf(v));
        w.store(row, to, target(k, column), 1, {panel.lanes, panel.lanes});
      }
    });
  }

  // Columns lie in memory: squares are turned in registers.
  void turnColumns() {
    // What is left over is a square too, of fewer rows or columns; the rest of it is zeros.
    int64_t whole = panel.columns / panel.lanes * panel.lanes;
    each(whole, panel.lanes, [&](Value column) { turnColumns(column, panel.lanes); });
    if (whole < panel.columns)
      turnColumns(w.index(whole), panel.columns - whole);
  }

  void copyElements() {
    each(size, 1, [&](Value k) {
      each(panel.columns, 1, [&](Value column) {
        Value one = memref::LoadOp::create(b, from, ValueRange{at(k, column)});
        memref::StoreOp::create(b, one, to, ValueRange{target(k, column)});
      });
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

  Value at(Value k, Value column) { return w.plus(offset, w.plus(w.times(k, x.k.b), w.times(column, x.n.b))); }
  Value target(Value k, Value column) { return w.plus(w.times(k, panel.width()), column); }

  void turnColumns(Value column, int64_t count) {
    int64_t whole = size / panel.lanes * panel.lanes;
    each(whole, panel.lanes, [&](Value k) { turnSquare(k, column, panel.lanes, count); });
    if (whole < size)
      turnSquare(w.index(whole), column, size - whole, count);
  }

  void turnSquare(Value k, Value column, int64_t rows, int64_t columns) {
    auto type = VectorType::get({panel.lanes}, element);
    SmallVector<Value> square(panel.lanes, arith::ConstantOp::create(b, b.getZeroAttr(type)));
    for (int64_t i = 0; i < columns; ++i)
      square[i] = w.load(from, element, at(k, w.plus(column, w.index(i))), 1, {panel.lanes, rows});
    // A transposition in log2(lanes) rounds: each changes rows and columns in one bit of their numbers.
    for (int64_t distance = panel.lanes / 2; distance; distance /= 2)
      exchange(square, distance);
    for (int64_t i = 0; i < rows; ++i)
      w.store(square[i], to, target(w.plus(k, w.index(i)), column), 1, {panel.lanes, panel.lanes});
  }

  // Elements whose row and column differ in the bit `distance` change places.
  void exchange(MutableArrayRef<Value> square, int64_t distance) {
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

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  const MatmulNest &x;
  Value offset;
  int64_t size;
  const Panel &panel;
  Value from, to;
  Type element;
};

} // namespace

void codegen::packPanel(KernelWriter &writer, const MatmulNest &product, Value offset, int64_t size, const Panel &panel,
                        Value scratch) {
  Packer packer(writer, product, offset, size, panel, scratch);
  if (product.n.b == 1)
    packer.copyRows();
  else if (product.k.b == 1)
    packer.turnColumns();
  else
    packer.copyElements();
}

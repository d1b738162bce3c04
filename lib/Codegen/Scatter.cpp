//===- Scatter.cpp - scatter_add: adds updates in order -------------------===//
#include "RowGroups.h"
#include "ScalarFunctions.h"
#include "Tile.h"
#include "plc/Analysis/ScatteredProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes a scatter_add. Elements that differ in a dimension of the result receive different updates. So the values of
// these dimensions are the units of chunks, in vectors of 16 contiguous columns if there are any. Each unit visits the
// other dimensions in order, and no atomics are needed.
class ScatterWriter {
public:
  ScatterWriter(KernelWriter &writer, ein::ScatterAddOp op)
      : w(writer), b(writer.b), op(op), it(ein::iterationOf(op)),
        type(cast<RankedTensorType>(op.getResult().getType())), memory(writer.memoryOf(op.getResult())),
        first(writer.accesses.size()), factors(ein::factorsOf(op)) {
    for (auto [axis, expr] : llvm::enumerate(it.result.getResults()))
      if (isa<AffineSymbolExpr>(expr))
        w.addAccess(op, type.getDimSize(axis));
    // Vectors run along the last axis, if that is a dimension and no position.
    if (type.getRank())
      columnDim = ein::dimOf(it.result, type.getRank() - 1);
    int64_t columns = columnDim >= 0 ? it.extents[columnDim] : 1;
    // 16 columns are an AVX-512 register of f32; a ragged number goes element by element.
    width = columns % 16 == 0 && columnsAreContiguous() ? 16 : 1;
    blocks = columns / width;
    isOuter.assign(it.extents.size(), false);
    for (unsigned dim = 0; dim < it.extents.size(); ++dim)
      if (int(dim) != columnDim && it.result.isFunctionOfDim(dim))
        isOuter[dim] = true;
  }

  void run() {
    SmallVector<int64_t> extents;
    int64_t units = blocks;
    // Units are combinations of the result's dimensions: no two of them write the same element.
    for (auto [dim, extent] : llvm::enumerate(it.extents))
      if (isOuter[dim]) {
        extents.push_back(extent);
        units *= extent;
      }
    extents.push_back(blocks);
    auto [lower, upper] = w.cut(units);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      index.assign(it.extents.size(), Value());
      if (columnDim >= 0)
        index[columnDim] = w.times(at.back(), width);
      auto next = at.begin();
      for (unsigned dim = 0; dim < it.extents.size(); ++dim)
        if (isOuter[dim])
          index[dim] = *next++;
      // Each unit clears what it adds to, so no barrier is needed between zeros and sums.
      clear();
      walk(0);
      return {};
    });
  }

private:
  // Whether 16 columns are contiguous in the result and in each factor that has columns, and share their positions.
  bool columnsAreContiguous() {
    auto lastOnly = [&](AffineMap map) {
      return map.getNumResults() && ein::dimOf(map, map.getNumResults() - 1) == columnDim &&
             !map.getMajorSubMap(map.getNumResults() - 1).isFunctionOfDim(columnDim);
    };
    return lastOnly(it.result) &&
           llvm::all_of(factors, [&](const ein::ScatteredFactor &factor) { return factor.strides[columnDim] <= 1; }) &&
           llvm::none_of(ArrayRef(it.inputs).slice(1, op.getIndices().size()),
                         [&](AffineMap map) { return map.isFunctionOfDim(columnDim); });
  }

  Type accessType() {
    return width == 1 ? type.getElementType() : Type(VectorType::get({width}, type.getElementType()));
  }

  Lanes lanes() const { return width == 1 ? Lanes{} : Lanes{width, width}; }

  Value read(Value from, Value offset, int64_t stride = 1) {
    return w.broadcast(w.load(from, type.getElementType(), offset, stride, lanes()), lanes());
  }
  void write(Value value, Value offset) {
    if (width == 1)
      memref::StoreOp::create(b, value, memory, ValueRange{offset});
    else
      vector::StoreOp::create(b, value, memory, ValueRange{offset});
  }

  // Stores what the reduction begins at (a sum: 0) to all elements of this unit, at every position, unless an
  // accumulator holds a sum already.
  void clear() {
    Value vacant = w.accumulate;
    if (op.getAccumulator())
      vacant = arith::XOrIOp::create(b, w.accumulate, arith::ConstantIntOp::create(b, 1, 1));
    else
      vacant = arith::ConstantIntOp::create(b, 1, 1);
    SmallVector<int64_t> extents, strides;
    Value first = w.index(0);
    int64_t count = 1;
    // A dimension that occurs twice is a diagonal: the elements beside it must be cleared, too.
    llvm::SmallDenseSet<int> seen;
    for (auto [axis, stride] : llvm::enumerate(stridesOf(type))) {
      if (int dim = ein::dimOf(it.result, axis); dim >= 0 && seen.insert(dim).second) {
        first = w.plus(first, w.times(index[dim], stride));
        continue;
      }
      extents.push_back(type.getDimSize(axis));
      strides.push_back(stride);
      count *= extents.back();
    }
    either(w, vacant, [&] {
      w.loop(w.index(0), w.index(count), 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        Value offset = first;
        for (auto [at, stride] : llvm::zip(w.delinearize(number, extents), strides))
          offset = w.plus(offset, w.times(at, stride));
        write(identityOf(b, op.getJoin(), accessType()), offset);
        return {};
      });
    });
  }

  // A loop for each dimension that the result lacks: the order of the additions.
  void walk(unsigned dim) {
    if (dim == it.extents.size())
      return add();
    // These are fixed for the unit.
    if (int(dim) == columnDim || isOuter[dim])
      return walk(dim + 1);
    w.loop(w.index(0), w.index(it.extents[dim]), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      index[dim] = at;
      walk(dim + 1);
      return {};
    });
  }

  Value offsetOf(Value tensor, AffineMap map, ArrayRef<Value> symbols) {
    return w.offsetOf(tensor, map, index, symbols);
  }

  // A factor of the update at this point.
  Value valueOf(const ein::ScatteredFactor &factor) {
    if (auto constant = factor.value.getDefiningOp<ein::ConstantOp>())
      return w.broadcast(constantElement(b, constant), lanes());
    Value offset = w.index(factor.first);
    for (auto [at, stride] : llvm::zip(index, factor.strides))
      if (stride)
        offset = w.plus(offset, w.times(at, stride));
    return read(w.memoryOf(factor.value), offset, columnDim >= 0 ? factor.strides[columnDim] : 0);
  }

  // One update: checked positions, then read, add, write.
  void add() {
    SmallVector<Value> symbols(op.getIndices().size());
    unsigned access = first;
    for (AffineExpr expr : it.result.getResults())
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
        unsigned position = symbol.getPosition();
        Value tensor = op.getIndices()[position];
        Value offset = offsetOf(tensor, it.inputs[position + 1], {});
        Value found = memref::LoadOp::create(b, w.memoryOf(tensor), ValueRange{offset});
        symbols[position] = w.checkedIndex(found, access++, offset);
      }
    // The sum goes back to memory at once, since the next position may name the same row.
    Value update = valueOf(factors.front()), second = factors.size() == 2 ? valueOf(factors.back()) : Value();
    Value target = offsetOf(op.getResult(), it.result, symbols), before = read(memory, target);
    // A scatter with a factor is defined by an fma; a product of two values rounds before it is added.
    if (op.getFactor())
      return write(math::FmaOp::create(b, update, second, before), target);
    if (second)
      update = applyFunction(b, ein::Function::mul, {update, second});
    write(combine(b, op.getJoin(), before, update), target);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::ScatterAddOp op;
  ein::Iteration it;
  RankedTensorType type;
  Value memory;
  unsigned first;
  SmallVector<ein::ScatteredFactor, 2> factors;
  int columnDim = -1;
  int64_t width = 1, blocks = 1;
  SmallVector<bool> isOuter; // of a dimension that the result has, but for the column
  SmallVector<Value> index;
};

} // namespace

// Three cases: a put, outer products that tiles compute, and any other scatter_add.
LogicalResult codegen::writeScatter(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  if (auto put = equations.size() == 1 ? dyn_cast<ein::PutOp>(equations.front()) : ein::PutOp())
    return writePut(writer, put);
  auto op = equations.empty() ? ein::ScatterAddOp() : dyn_cast<ein::ScatterAddOp>(equations.back());
  bool isWhole = op && (equations.size() == 1 ||
                        (equations.size() == 2 && ein::fusedUpdates(op).getOperation() == equations.front()));
  if (!isWhole)
    return writer.kernel.emitOpError("has ") << equations.size() << " equations but kind 'scatter' takes one "
                                             << "'ein.scatter_add' and a copy or product that it adds";
  // Everything is read from memory, so it must be there: constants alone are emitted.
  SmallVector<Value> read(op.getIndices());
  for (const ein::ScatteredFactor &factor : ein::factorsOf(op))
    if (!factor.value.getDefiningOp<ein::ConstantOp>())
      read.push_back(factor.value);
  for (Value value : read)
    if (!writer.memoryOf(value))
      return op.emitOpError("reads a value that is no argument of its kernel");
  if (std::optional<ein::ScatteredProducts> products = ein::asScatteredProducts(op))
    return writeScatteredProducts(writer, op, *products), success();
  return ScatterWriter(writer, op).run(), success();
}

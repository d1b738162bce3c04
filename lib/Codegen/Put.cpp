//===- Put.cpp - replaces elements of a state in place --------------------===//
#include "KernelWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes an `ein.put`: visits the whole domain, in vectors along the last axis if it is contiguous on both sides.
// Positions may repeat, and the last write wins, so the order matters. Points that differ in a dimension of the result
// write different elements: only such a dimension is cut in chunks.
class PutWriter {
public:
  PutWriter(KernelWriter &writer, ein::PutOp op)
      : w(writer), b(writer.b), op(op), it(ein::iterationOf(op)), memory(writer.memoryOf(op.getResult())),
        element(storedType(cast<RankedTensorType>(op.getResult().getType()).getElementType())),
        index(it.extents.size()) {
    int64_t rank = it.result.getNumResults();
    if (rank && isContiguous(rank - 1))
      run = ein::dimOf(it.result, rank - 1);
    // The first dimension that names its own elements: the slowest axis keeps chunks apart in memory.
    for (int64_t axis = 0; axis < rank && outer < 0; ++axis)
      if (int dim = ein::dimOf(it.result, axis); dim >= 0 && dim != run && !repeats(dim))
        outer = dim;
  }

  // The chunked dimension is outermost; without one the kernel is one chunk.
  void write() {
    auto [lower, upper] = w.cut(outer < 0 ? 1 : it.extents[outer]);
    w.loop(lower, upper, 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      if (outer >= 0)
        index[outer] = at;
      walk(0);
      return {};
    });
  }

private:
  bool repeats(int dim) { return llvm::count(it.result.getResults(), getAffineDimExpr(dim, op.getContext())) > 1; }

  // Whether the last axis is contiguous in the updates, and no position depends on it.
  bool isContiguous(int64_t axis) {
    int dim = ein::dimOf(it.result, axis);
    AffineMap updates = it.inputs.front();
    return dim >= 0 && !repeats(dim) && updates.getNumResults() &&
           ein::dimOf(updates, updates.getNumResults() - 1) == dim &&
           ein::layoutOf(op.getUpdates()).strides.back() == 1 &&
           llvm::none_of(ArrayRef(it.inputs).drop_front(), [&](AffineMap map) { return map.isFunctionOfDim(dim); });
  }

  // A loop for each remaining dimension, in order.
  void walk(unsigned dim) {
    if (dim == it.extents.size())
      return putRun();
    if (int(dim) == outer || int(dim) == run)
      return walk(dim + 1);
    w.loop(w.index(0), w.index(it.extents[dim]), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      index[dim] = at;
      walk(dim + 1);
      return {};
    });
  }

  // Reads the positions of one run. A run at a position outside the state is skipped, as `ein.put` defines.
  void putRun() {
    SmallVector<Value> symbols(op.getIndices().size());
    Value inside;
    for (auto [axis, expr] : llvm::enumerate(it.result.getResults()))
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
        unsigned position = symbol.getPosition();
        Value tensor = op.getIndices()[position], from = w.memoryOf(tensor);
        Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
        Value found = w.load(from, type, w.offsetOf(tensor, it.inputs[position + 1], index), 1, {});
        Value wide = type.isInteger(64) ? found : Value(arith::ExtSIOp::create(b, b.getI64Type(), found));
        // Compared unsigned, so that negative positions are too large.
        int64_t extent = cast<RankedTensorType>(op.getResult().getType()).getDimSize(axis);
        Value fits =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ult, wide, arith::ConstantIntOp::create(b, extent, 64));
        inside = inside ? Value(arith::AndIOp::create(b, inside, fits)) : fits;
        symbols[position] = arith::IndexCastOp::create(b, b.getIndexType(), wide);
      }
    // Without positions every element is inside.
    if (!inside)
      return copyRun(symbols);
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    copyRun(symbols);
  }

  void copyRun(ArrayRef<Value> symbols) {
    Value from = w.memoryOf(op.getUpdates()), source = w.offsetOf(op.getUpdates(), it.inputs.front(), index);
    Value target = w.offsetOf(op.getResult(), it.result, index, symbols);
    Type type = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    auto copy = [&](Value at, Lanes lanes) {
      w.store(w.load(from, type, w.plus(source, at), 1, lanes), memory, w.plus(target, at), 1, lanes);
    };
    if (run < 0)
      return copy(w.index(0), {});
    int64_t whole = it.extents[run] / copyLanes * copyLanes;
    if (whole)
      w.loop(w.index(0), w.index(whole), copyLanes, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
        copy(at, {copyLanes, copyLanes});
        return {};
      });
    if (whole < it.extents[run])
      copy(w.index(whole), {copyLanes, it.extents[run] - whole});
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::PutOp op;
  ein::Iteration it;
  Value memory;
  Type element;
  int outer = -1, run = -1; // the dimension that chunks cut, and the one that vectors run along
  SmallVector<Value> index; // null along the run, which begins at 0
};

} // namespace

LogicalResult codegen::writePut(KernelWriter &writer, ein::PutOp op) {
  return PutWriter(writer, op).write(), success();
}

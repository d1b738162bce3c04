//===- InsertSlice.cpp - copies into a sub-range of a larger tensor -------------===//
#include "KernelWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes every row of the result (its last axis): a row of the input between zeros, or zeros alone. So each element is
// written once.
class InsertSliceWriter {
public:
  InsertSliceWriter(KernelWriter &writer, ein::InsertSliceOp op)
      : w(writer), b(writer.b), from(writer.memoryOf(op.getInput())), to(writer.memoryOf(op.getResult())),
        layout(ein::layoutOf(op.getInput())), inner(op.getInput().getType().getShape()), outer(op.getType().getShape()),
        positions(op.getPositions()), element(storedType(op.getType().getElementType())) {
    if (!outer.empty())
      return;
    // A scalar is a row of one element.
    inner = outer = {1};
    positions = {{0, {0}, {1}}};
    layout.strides = {1};
  }

  // Rows are the units of chunks.
  void run() {
    int64_t rows = 1;
    for (int64_t extent : rowExtents())
      rows *= extent;
    auto [lower, upper] = w.cut(rows);
    w.loop(lower, upper, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      Value inside, offset = w.index(layout.offset);
      for (auto [axis, at] : llvm::enumerate(w.delinearize(row, rowExtents()))) {
        auto [found, isInside] = source(axis, at);
        offset = w.plus(offset, w.times(found, layout.strides[axis]));
        inside = inside ? Value(arith::AndIOp::create(b, inside, isInside)) : isInside;
      }
      writeRow(w.times(row, outer.back()), offset, inside);
      return {};
    });
  }

private:
  ArrayRef<int64_t> rowExtents() const { return ArrayRef(outer).drop_back(); }

  // The index along an axis of the input that shows at an index of the result, and whether there is one. Unsigned,
  // indices before the sub-range wrap around, so that one comparison finds both ends.
  std::pair<Value, Value> source(unsigned axis, Value at) {
    Value found = arith::SubIOp::create(b, at, w.index(positions[axis].offset)), isHit;
    if (int64_t stride = positions[axis].strides[0]; stride > 1) {
      Value rest = arith::RemUIOp::create(b, found, w.index(stride));
      isHit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, w.index(0));
      found = arith::DivUIOp::create(b, found, w.index(stride));
    }
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, found, w.index(inner[axis]));
    return {found, isHit ? Value(arith::AndIOp::create(b, inside, isHit)) : inside};
  }

  // A row outside the sub-range is zeros; the branch is per row, not per element.
  void writeRow(Value target, Value offset, Value inside) {
    // Elements that are neighbours on both sides go in vectors.
    bool copies = positions.back().strides[0] == 1 && layout.strides.back() == 1;
    auto write = [&](bool zeros) {
      copies ? writeVectors(target, offset, zeros) : writeElements(target, offset, zeros);
    };
    // A result of one axis is one row, which the input's row is in.
    if (!inside)
      return write(false);
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    write(false);
    b.setInsertionPoint(branch.elseYield());
    write(true);
  }

  // A contiguous row: vectors, masked where they cross the ends of the input's row.
  void writeVectors(Value target, Value offset, bool zeros) {
    int64_t whole = outer.back() / copyLanes * copyLanes;
    auto block = [&](Value at, int64_t active) {
      auto type = VectorType::get({copyLanes}, element);
      Value value = arith::ConstantOp::create(b, b.getZeroAttr(type));
      if (!zeros) {
        Value shifted = arith::SubIOp::create(b, at, w.index(positions.back().offset));
        value = vector::MaskedLoadOp::create(b, type, from, ValueRange{w.plus(offset, shifted)}, insideFrom(shifted),
                                             value);
      }
      w.store(value, to, w.plus(target, at), 1, {copyLanes, active});
    };
    if (whole)
      w.loop(w.index(0), w.index(whole), copyLanes, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
        block(at, copyLanes);
        return {};
      });
    if (whole < outer.back())
      block(w.index(whole), outer.back() - whole);
  }

  // Which of the lanes from index `first` of the input's row on are inside the row.
  Value insideFrom(Value first) {
    auto type = VectorType::get({copyLanes}, b.getIndexType());
    SmallVector<Attribute> steps;
    for (int64_t lane = 0; lane < copyLanes; ++lane)
      steps.push_back(b.getIndexAttr(lane));
    Value lanes = arith::ConstantOp::create(b, DenseElementsAttr::get(type, steps));
    Value at = arith::AddIOp::create(b, vector::BroadcastOp::create(b, type, first), lanes);
    Value end = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getIndexAttr(inner.back())));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, end);
  }

  // Strided rows: each element is copied or zero.
  void writeElements(Value target, Value offset, bool zeros) {
    w.loop(w.index(0), w.index(outer.back()), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element)), value = zero;
      if (!zeros) {
        auto [found, inside] = source(outer.size() - 1, at);
        auto branch = scf::IfOp::create(b, TypeRange{element}, inside, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        Value read = memref::LoadOp::create(b, from, ValueRange{w.plus(offset, w.times(found, layout.strides.back()))});
        scf::YieldOp::create(b, read);
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, zero);
        value = branch.getResult(0);
      }
      memref::StoreOp::create(b, value, to, ValueRange{w.plus(target, at)});
      return {};
    });
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  Value from, to;
  ein::Layout layout;
  SmallVector<int64_t> inner, outer; // shapes of input and result
  SmallVector<ein::AxisPositions> positions;
  Type element; // in memory
};

} // namespace

LogicalResult codegen::writeInsertSlice(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  auto op = equations.size() == 1 ? dyn_cast<ein::InsertSliceOp>(equations.front()) : ein::InsertSliceOp();
  if (!op)
    return writer.kernel.emitOpError("has ")
           << equations.size() << " equations but kind 'insert_slice' takes one 'ein.insert_slice'";
  if (!writer.memoryOf(op.getInput()))
    return op.emitOpError("reads a value that is no argument of its kernel");
  return InsertSliceWriter(writer, op).run(), success();
}

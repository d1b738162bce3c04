//===- PointwiseEmitter.cpp - emits values of equations at points ---------===//
#include "PointwiseEmitter.h"

#include "IRValue.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// The axes of an access in dimensions of the common domain; axes of positions are filled in by the reader.
PointwiseEmitter::Axes PointwiseEmitter::axesOf(Operation *equation, AffineMap map) const {
  Axes axes;
  const auto &dims = alignment.dims.find(equation)->second;
  for (unsigned axis = 0; axis < map.getNumResults(); ++axis) {
    int dim = ein::dimOf(map, axis);
    axes.push_back({dim < 0 ? -1 : int(dims[dim]), {}});
  }
  return axes;
}

Value PointwiseEmitter::valueOf(Operation *equation, const Point &point) {
  // A value is emitted once for a row, or for a block of lanes.
  for (auto *known : {&rowValues, &blockValues})
    if (auto found = known->find(equation); found != known->end())
      return found->second;
  Value value;
  // An earlier phase computed the whole row: read it back.
  if (auto found = kept.find(equation); found != kept.end() && found->second.fromPhase < phase) {
    Value result = equation->getResult(0);
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    // Without scratch the row was stored to the equation's own result.
    if (Value scratch = found->second.scratch) {
      auto [offset, stride] = rowAddress(point);
      value = writer.load(scratch, element, offset, stride, point.allLanes());
    } else {
      value = load(result, axesOf(equation, ein::iterationOf(equation).result), point);
    }
  } else {
    value = compute(equation, point);
  }
  return blockValues[equation] = value;
}

Value PointwiseEmitter::operandOf(Operation *equation, unsigned operand, const Point &point) {
  return valueAt(equation->getOperand(operand), axesOf(equation, ein::iterationOf(equation).inputs[operand]), point);
}

Value PointwiseEmitter::valueAt(Value value, const Axes &axes, const Point &point) {
  Operation *maker = value.getDefiningOp();
  // An argument of the kernel, or a view of one.
  if (!ein::viewed(value).getDefiningOp())
    return load(value, axes, point);
  // An equation of this kernel: its value at the point, without memory.
  if (alignment.dims.contains(maker))
    return valueOf(maker, point);
  // Written before by other equations of the kernel.
  if (writer.memoryOf(value))
    return load(value, axes, point);
  return freeValue(maker, axes, point);
}

// Operands are elements or vectors; they become vectors together.
Value PointwiseEmitter::compute(Operation *equation, const Point &point) {
  if (isa<ein::GatherOp>(equation))
    return gather(equation, point);
  if (isa<ein::IotaOp, ein::ConstantOp>(equation))
    return freeValue(equation, axesOf(equation, ein::iterationOf(equation).result), point);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < equation->getNumOperands(); ++i)
    operands.push_back(operandOf(equation, i, point));
  if (llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); }))
    for (Value &operand : operands)
      broadcast(operand, point);
  if (auto map = dyn_cast<ein::MapOp>(equation))
    return applyFunction(b, map.getFunction(), operands);
  return castElement(b, operands.front(), elementOf(equation->getResult(0)), elementOf(equation->getOperand(0)));
}

void PointwiseEmitter::broadcast(Value &value, const Point &point) { value = writer.broadcast(value, point.lanes()); }

// A value that depends on indices and constants alone is computed where it is read: it has no memory.
Value PointwiseEmitter::freeValue(Operation *op, const Axes &axes, const Point &point) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Type element = type.getElementType();
  if (auto constant = dyn_cast<ein::ConstantOp>(op))
    return constantElement(b, constant);
  if (isa<ein::IotaOp>(op))
    return iota(element, axes.front(), point);
  ein::Iteration it = ein::iterationOf(op);
  // The reader's axes, by dimension of this equation: its operands are read at the same point.
  Axes ofDim(it.extents.size());
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    ofDim[ein::dimOf(it.result, axis)] = axes[axis];
  SmallVector<Value> operands;
  for (auto [operand, map] : llvm::zip(op->getOperands(), it.inputs)) {
    Axes read;
    for (unsigned axis = 0; axis < map.getNumResults(); ++axis)
      read.push_back(ofDim[ein::dimOf(map, axis)]);
    operands.push_back(freeValue(operand.getDefiningOp(), read, point));
  }
  if (llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); }))
    for (Value &operand : operands)
      broadcast(operand, point);
  if (auto map = dyn_cast<ein::MapOp>(op))
    return applyFunction(b, map.getFunction(), operands);
  return castElement(b, operands.front(), element, elementOf(op->getOperand(0)));
}

// Lanes differ only if the vector runs along this axis.
Value PointwiseEmitter::iota(Type type, const AxisIndex &axis, const Point &point) {
  Value at = axis.dim < 0 ? axis.index : point.index[loops.loopOf[axis.dim]];
  Value first = arith::IndexCastOp::create(b, type, at);
  if (axis.dim < 0 || loops.loopOf[axis.dim] != point.vector)
    return first;
  broadcast(first, point);
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < point.width; ++lane)
    steps.push_back(b.getIntegerAttr(type, lane));
  Value lanes = arith::ConstantOp::create(b, DenseElementsAttr::get(VectorType::get({point.width}, type), steps));
  return arith::AddIOp::create(b, first, lanes);
}

Point PointwiseEmitter::laneOf(const Point &point, int64_t lane) {
  Point single = point;
  single.index[point.vector] = writer.plus(point.index[point.vector], lane ? writer.index(lane) : Value());
  single.vector = -1;
  single.width = single.active = 1;
  return single;
}

// Equal indices in all lanes read a vector of the table. Different ones are read and checked one lane at a time.
Value PointwiseEmitter::gather(Operation *equation, const Point &point) {
  auto gather = cast<ein::GatherOp>(equation);
  ein::Iteration it = ein::iterationOf(equation);
  Axes table = axesOf(equation, it.inputs.front());
  auto shape = cast<RankedTensorType>(gather.getTable().getType()).getShape();
  SmallVector<Value> found;
  bool varies = false;
  for (unsigned i = 1; i < it.inputs.size(); ++i) {
    found.push_back(operandOf(equation, i, point));
    varies |= isa<VectorType>(found.back().getType());
  }
  auto inserted = accessOf.try_emplace(equation, writer.accesses.size());
  // One check for each position, however many lanes and phases read the gather.
  if (inserted.second)
    for (auto [axis, expr] : llvm::enumerate(it.inputs.front().getResults()))
      if (isa<AffineSymbolExpr>(expr))
        writer.addAccess(equation, shape[axis]);
  auto read = [&](const Point &at, int64_t lane) {
    unsigned number = inserted.first->second;
    for (auto [axis, expr] : llvm::enumerate(it.inputs.front().getResults())) {
      auto symbol = dyn_cast<AffineSymbolExpr>(expr);
      if (!symbol)
        continue;
      unsigned operand = symbol.getPosition() + 1;
      Value index = found[operand - 1];
      if (isa<VectorType>(index.getType()))
        index = vector::ExtractOp::create(b, index, ArrayRef<int64_t>{lane});
      // Where the position itself lies: a fault names it, so that the user finds the wrong index.
      Value position = address(equation->getOperand(operand), axesOf(equation, it.inputs[operand]), at).first;
      table[axis].index = writer.checkedIndex(index, number++, position);
    }
    return readTable(gather.getTable(), table, at);
  };
  if (!varies)
    return read(point, 0);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < point.active; ++lane)
    lanes.push_back(read(laneOf(point, lane), lane));
  // Inactive lanes repeat the first one, since nothing beyond the tensor may be read.
  lanes.append(point.width - point.active, lanes.front());
  return vector::FromElementsOp::create(b, VectorType::get({point.width}, lanes.front().getType()), lanes);
}

// A table may be a row that this kernel keeps: then a position is an index into the scratch row.
Value PointwiseEmitter::readTable(Value table, const Axes &axes, const Point &point) {
  Operation *maker = table.getDefiningOp();
  if (maker && alignment.dims.contains(maker)) {
    Value scratch = kept.find(maker)->second.scratch;
    if (!scratch)
      return load(table, axes, point);
    // Such a table has one axis of positions: the row itself.
    for (const AxisIndex &axis : axes)
      if (axis.dim < 0)
        return writer.load(scratch, cast<RankedTensorType>(table.getType()).getElementType(), axis.index, 0, {});
  }
  return valueAt(table, axes, point);
}

std::pair<Value, int64_t> PointwiseEmitter::address(Value tensor, const Axes &axes, const Point &point) {
  ein::Layout layout = ein::layoutOf(tensor);
  Value offset = layout.offset ? writer.index(layout.offset) : Value();
  int64_t stride = 0;
  for (auto [axis, step] : llvm::zip(axes, layout.strides)) {
    if (axis.dim < 0) {
      offset = writer.plus(offset, writer.times(axis.index, step));
      continue;
    }
    // A merged dimension: the index of its loop's last dimension covers it.
    if (!loops.counts[axis.dim])
      continue;
    int loop = loops.loopOf[axis.dim];
    offset = writer.plus(offset, writer.times(point.index[loop], step));
    // Several axes may run along the vector, as on a diagonal: their strides add up.
    if (loop == point.vector)
      stride += step;
  }
  return {offset ? offset : writer.index(0), stride};
}

std::pair<Value, int64_t> PointwiseEmitter::rowAddress(const Point &point) {
  // Scratch holds one row, so the outer loops do not move the address.
  Value offset;
  int64_t step = 1, stride = 0;
  // From the fastest loop outwards: the row is stored densely.
  for (unsigned loop = loops.extents.size(); loop-- > loops.outer;) {
    offset = writer.plus(offset, writer.times(point.index[loop], step));
    if (int(loop) == point.vector)
      stride = step;
    step *= loops.extents[loop];
  }
  return {offset ? offset : writer.index(0), stride};
}

Value PointwiseEmitter::load(Value tensor, const Axes &axes, const Point &point) {
  auto [offset, stride] = address(tensor, axes, point);
  return writer.load(writer.memoryOf(tensor), getElementTypeOrSelf(tensor.getType()), offset, stride, point.lanes());
}

Value PointwiseEmitter::load(ein::ReduceOp reduce, const Point &point) {
  Value result = reduce.getResult();
  auto [offset, stride] = address(result, axesOf(reduce, ein::iterationOf(reduce).result), point);
  Value old = writer.load(writer.memoryOf(result), elementOf(result), offset, stride, point.lanes());
  return castElement(b, old, reduce.getSumType());
}

void PointwiseEmitter::store(Operation *equation, Value value, const Point &point, Value add) {
  Value result = equation->getResult(0), memory = writer.memoryOf(result);
  auto [offset, stride] = address(result, axesOf(equation, ein::iterationOf(equation).result), point);
  // An accumulator: `add` is false where its buffer is still vacant.
  if (add) {
    Value old = load(cast<ein::ReduceOp>(equation), point);
    if (isa<VectorType>(old.getType()))
      broadcast(value, point);
    Value sum = combine(b, ein::Reduction::sum, old, value);
    value = arith::SelectOp::create(b, add, sum, value);
  }
  value = castElement(b, value, elementOf(result));
  writer.store(value, memory, offset, stride, point.lanes());
}

void PointwiseEmitter::keep(Operation *equation, Value value, const Point &point) {
  Value scratch = kept.find(equation)->second.scratch;
  if (!scratch)
    return;
  auto [offset, stride] = rowAddress(point);
  writer.store(value, scratch, offset, stride, point.allLanes()); // it has room for whole vectors
}

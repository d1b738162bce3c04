//===- Views.cpp - the same elements under other indices ------------------===//
#include "plc/Dialect/Ein/Views.h"

#include "plc/Dialect/Ein/MicroBatches.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace plc::ein;

bool plc::ein::isRegrouping(Operation *op) { return isa_and_nonnull<SplitOp, MergeOp>(op); }
bool plc::ein::isView(Operation *op) { return isRegrouping(op) || isa_and_nonnull<WindowOp>(op); }

Value plc::ein::viewed(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value plc::ein::regrouped(Value value) {
  while (isRegrouping(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The batch axis after `more` axes were inserted at `axis`.
static std::optional<int64_t> movedBehind(std::optional<int64_t> batch, int64_t axis, int64_t more) {
  return batch && *batch > axis ? *batch + more : batch;
}

Value plc::ein::split(OpBuilder &builder, Location loc, Value value, int64_t axis, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, extents.begin(), extents.end());
  auto type = tensorType(shape, typeOf(value).getElementType(),
                         movedBehind(batchAxisOf(typeOf(value)), axis, int64_t(extents.size()) - 1));
  return SplitOp::create(builder, loc, type, value, axis);
}

Value plc::ein::merge(OpBuilder &builder, Location loc, Value value, int64_t axis, int64_t count) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  for (int64_t i = 1; i < count; ++i) {
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
  }
  auto type =
      tensorType(shape, typeOf(value).getElementType(), movedBehind(batchAxisOf(typeOf(value)), axis, 1 - count));
  return MergeOp::create(builder, loc, type, value, axis);
}

Value plc::ein::unview(OpBuilder &builder, Operation *view, Value value) {
  auto type = typeOf(view->getOperand(0)).clone(typeOf(value).getElementType());
  if (auto split = dyn_cast<SplitOp>(view))
    return MergeOp::create(builder, view->getLoc(), type, value, split.getAxis());
  return SplitOp::create(builder, view->getLoc(), type, value, cast<MergeOp>(view).getAxis());
}

// Verifies both directions: `whole` is the tensor with one axis, `parts` the one with several in its place.
static LogicalResult verifyRegrouping(Operation *op, int64_t axis, Value whole, Value parts) {
  auto one = cast<RankedTensorType>(whole.getType()), many = cast<RankedTensorType>(parts.getType());
  // (C1)
  if (axis >= one.getRank())
    return op->emitOpError("axis is ") << axis << " but " << one << " has rank " << one.getRank();
  // (C2)
  int64_t count = many.getRank() - one.getRank() + 1;
  if (count < 2)
    return op->emitOpError("has ") << many << " beside " << one << " but needs at least one axis more";
  ArrayRef<int64_t> shape = many.getShape(), middle = shape.slice(axis, count);
  SmallVector<int64_t> others(shape.take_front(axis));
  others.push_back(one.getDimSize(axis));
  llvm::append_range(others, shape.drop_front(axis + count));
  if (one.getShape() != ArrayRef<int64_t>(others))
    return op->emitOpError("changes an axis other than ") << axis << ": " << one << " beside " << many;
  std::optional<int64_t> batch = batchAxisOf(one);
  if (batch == axis || movedBehind(batch, axis, count - 1) != batchAxisOf(many))
    return op->emitOpError("regroups the batch axis, or has another one: ") << one << " beside " << many;
  // (C3)
  int64_t product = 1;
  bool fits = llvm::none_of(middle, [&](int64_t extent) { return llvm::MulOverflow(product, extent, product); });
  if (!fits || product != one.getDimSize(axis))
    return op->emitOpError("splits extent ") << one.getDimSize(axis) << " into " << middle;
  if (one.getElementType() != many.getElementType())
    return op->emitOpError("has element types ") << one.getElementType() << " and " << many.getElementType();
  return success();
}

LogicalResult SplitOp::verify() { return verifyRegrouping(*this, getAxis(), getInput(), getResult()); }
LogicalResult MergeOp::verify() { return verifyRegrouping(*this, getAxis(), getResult(), getInput()); }

OpFoldResult SplitOp::fold(FoldAdaptor) {
  auto merge = getInput().getDefiningOp<MergeOp>();
  bool undoes = merge && merge.getAxis() == getAxis() && merge.getInput().getType() == getType();
  return undoes ? merge.getInput() : Value();
}

OpFoldResult MergeOp::fold(FoldAdaptor) {
  auto split = getInput().getDefiningOp<SplitOp>();
  bool undoes = split && split.getAxis() == getAxis() && split.getInput().getType() == getType();
  return undoes ? split.getInput() : Value();
}

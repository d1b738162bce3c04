//===- Windows.cpp - axes read at affine positions ------------------------===//
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace plc::ein;

// The terms of an affine sum; nullopt if a term is neither an integer nor a multiple of a dimension.
static std::optional<AxisPositions> positionsOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return AxisPositions{constant.getValue(), {}, {}};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return AxisPositions{0, {int64_t(dim.getPosition())}, {1}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<AxisPositions> left = positionsOf(binary.getLHS()), right = positionsOf(binary.getRHS());
  if (!left || !right)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add) {
    left->offset += right->offset;
    llvm::append_range(left->dims, right->dims);
    llvm::append_range(left->strides, right->strides);
    return left;
  }
  // MLIR's affine products have the constant on the right.
  if (binary.getKind() != AffineExprKind::Mul || !right->dims.empty())
    return std::nullopt;
  left->offset *= right->offset;
  for (int64_t &stride : left->strides)
    stride *= right->offset;
  return left;
}

static SmallVector<AxisPositions> positionsOf(AffineMap map) {
  SmallVector<AxisPositions> axes;
  for (AffineExpr expr : map.getResults())
    axes.push_back(*positionsOf(expr));
  return axes;
}

SmallVector<AxisPositions> WindowOp::getPositions() { return positionsOf(getMap()); }
SmallVector<AxisPositions> InsertSliceOp::getPositions() { return positionsOf(getMap()); }

bool InsertSliceOp::keepsWhole(int64_t axis) {
  return isa<AffineDimExpr>(getMap().getResult(axis)) &&
         getType().getDimSize(axis) == getInput().getType().getDimSize(axis);
}

std::optional<int64_t> WindowOp::shownWhole(int64_t inputAxis) {
  auto dim = dyn_cast<AffineDimExpr>(getMap().getResult(inputAxis));
  if (!dim || getType().getDimSize(dim.getPosition()) != getInput().getType().getDimSize(inputAxis))
    return std::nullopt;
  return dim.getPosition();
}

// (C3): positions of dimensions of `small` lie inside axis `axis` of `large`.
static LogicalResult verifyInside(Operation *op, StringRef does, Value large, int64_t axis, Value small,
                                  const AxisPositions &positions) {
  auto shape = cast<RankedTensorType>(small.getType()).getShape();
  int64_t extent = cast<RankedTensorType>(large.getType()).getDimSize(axis);
  int64_t least = positions.offset, most = positions.offset;
  bool fits = true;
  for (auto [dim, stride] : llvm::zip(positions.dims, positions.strides)) {
    int64_t reach, &end = stride > 0 ? most : least;
    fits &= !llvm::MulOverflow(stride, shape[dim] - 1, reach) && !llvm::AddOverflow(reach, end, end);
  }
  if (fits && least >= 0 && most < extent)
    return success();
  return op->emitOpError(does) << " positions " << least << " to " << most << " of axis " << axis
                               << ", which has extent " << extent;
}

LogicalResult WindowOp::verify() {
  auto input = getInput().getType(), result = getType();
  AffineMap map = getMap();
  // (C1)
  if (int64_t(map.getNumDims()) != result.getRank() || map.getNumSymbols() ||
      int64_t(map.getNumResults()) != input.getRank())
    return emitOpError("reads ") << input << " as " << result << " at " << getMapAttr()
                                 << ", which needs a dimension for each axis of the result, and a result for each of "
                                    "the input";
  // (C2)
  llvm::SmallBitVector seen(result.getRank());
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    std::optional<AxisPositions> positions = positionsOf(expr);
    if (!positions)
      return emitOpError("position #") << axis << " is no sum of multiples of dimensions";
    for (auto [dim, stride] : llvm::zip(positions->dims, positions->strides)) {
      if (seen.test(dim) || stride == 0)
        return emitOpError("dimension d") << dim << " is in two positions, or 0 times";
      seen.set(dim);
    }
    if (failed(verifyInside(*this, "reads", getInput(), axis, getResult(), *positions)))
      return failure();
  }
  if (!seen.all())
    return emitOpError("dimension d") << seen.find_first_unset() << " is in no position";
  // (C4)
  if (input.getElementType() != result.getElementType())
    return emitOpError("has element types ") << input.getElementType() << " and " << result.getElementType();
  std::optional<int64_t> from = batchAxisOf(input), to = batchAxisOf(result);
  if (from.has_value() != to.has_value() || (from && shownWhole(*from) != to))
    return emitOpError("reads the batch at other positions than its own: ") << input << " as " << result;
  return success();
}

LogicalResult InsertSliceOp::verify() {
  auto input = getInput().getType(), result = getType();
  // (C1)
  if (input.getRank() != result.getRank() || input.getElementType() != result.getElementType())
    return emitOpError("places ") << input << " in " << result << ", which has another rank or element type";
  // (C2)
  AffineMap map = getMap();
  if (int64_t(map.getNumDims()) != input.getRank() || map.getNumSymbols() ||
      int64_t(map.getNumResults()) != result.getRank())
    return emitOpError("places ") << input << " at " << getMapAttr()
                                  << ", which needs a dimension and a result for each axis";
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    std::optional<AxisPositions> positions = positionsOf(expr);
    if (!positions || positions->dims != ArrayRef<int64_t>(axis) || positions->strides[0] <= 0)
      return emitOpError("position #") << axis << " is no integer and positive multiple of d" << axis;
    if (failed(verifyInside(*this, "writes", getResult(), axis, getInput(), *positions)))
      return failure();
  }
  // (C4)
  std::optional<int64_t> batch = batchAxisOf(input);
  if (batch != batchAxisOf(result) || (batch && !keepsWhole(*batch)))
    return emitOpError("places the batch at other positions than its own: ") << input << " in " << result;
  return success();
}

Value plc::ein::window(OpBuilder &builder, Location loc, Value value, ArrayRef<AxisPositions> positions,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> exprs;
  std::optional<int64_t> batch;
  for (auto [axis, each] : llvm::enumerate(positions)) {
    AffineExpr expr = builder.getAffineConstantExpr(each.offset);
    for (auto [dim, stride] : llvm::zip(each.dims, each.strides))
      expr = expr + builder.getAffineDimExpr(dim) * stride;
    exprs.push_back(expr);
    if (batchAxisOf(type) == int64_t(axis))
      batch = each.dims[0];
  }
  return WindowOp::create(builder, loc, tensorType(shape, type.getElementType(), batch), value,
                          AffineMap::get(shape.size(), 0, exprs, builder.getContext()));
}

Value plc::ein::insertSlice(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> positions;
  for (auto [axis, offset, stride] : llvm::enumerate(offsets, strides))
    positions.push_back(builder.getAffineDimExpr(axis) * stride + offset);
  return InsertSliceOp::create(builder, loc, tensorType(shape, type.getElementType(), batchAxisOf(type)), value,
                               AffineMap::get(type.getRank(), 0, positions, builder.getContext()));
}

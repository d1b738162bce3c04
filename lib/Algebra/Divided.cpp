//===- Divided.cpp - tensors in equal parts along an axis -----------------===//
#include "Divided.h"
#include "Equations.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

RankedTensorType algebra::partType(Type whole, int64_t axis, int64_t parts) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= parts;
  return RankedTensorType::Builder(type).setShape(shape);
}

// Where an element of a part is in the whole.
static AffineMap placeOf(OpBuilder &builder, Type partType, int64_t axis, int64_t part) {
  auto type = cast<RankedTensorType>(partType);
  SmallVector<AffineExpr> at;
  for (int64_t i = 0; i < type.getRank(); ++i)
    at.push_back(builder.getAffineDimExpr(i) + (i == axis ? part * type.getDimSize(axis) : 0));
  return AffineMap::get(type.getRank(), 0, at, builder.getContext());
}

Value algebra::sliceOf(OpBuilder &builder, Value whole, int64_t axis, int64_t part, int64_t parts) {
  RankedTensorType type = partType(whole.getType(), axis, parts);
  return ein::WindowOp::create(builder, whole.getLoc(), type, whole, placeOf(builder, type, axis, part));
}

Value algebra::join(OpBuilder &builder, Location loc, Type whole, const Divided &from) {
  auto type = cast<RankedTensorType>(whole);
  EquationBuilder build(builder, loc, dimensionsOf(whole));
  Dims dims = axesOf(type);
  ein::Function joiner = type.getElementType().isInteger(1) ? ein::Function::logical_or : ein::Function::add;
  Value joined;
  for (auto [part, piece] : llvm::enumerate(from.parts)) {
    Value placed =
        ein::PlaceOp::create(builder, loc, type, piece, placeOf(builder, piece.getType(), from.axis, int64_t(part)));
    joined = joined ? build.map(joiner, {{joined, dims}, {placed, dims}}, dims) : placed;
  }
  return joined;
}

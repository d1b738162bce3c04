//===- EmitWindows.cpp - affine positions as ein ops ----------------------===//
#include "EmitEquations.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Views.h"

using namespace plc::language;
using mlir::AffineMap;

/// Whether the indices, slowest first, count consecutive elements of an axis once each, in order. What they read can
/// then be split like a whole axis.
bool BodyEmitter::isRun(const Node::Position &position) const {
  if (position.indices.size() > 1 && position.indices[0] == iterationIndex) // slicing takes this index away
    return false;
  int64_t inner = 1;
  for (size_t i = position.strides.size(); i-- > 0; inner *= extent(position.indices[i]))
    if (position.strides[i] != inner)
      return false;
  return true;
}

/// Whether a position reads its axis as it is, or at computed positions; not at a number outside of it.
static bool readsWhole(const Node::Position &position) {
  return position.gathered || (position.strides.empty() && !position.indices.empty());
}

/// Shows the axes that positions with strides read, among others that stay as they are. Pads where positions may fall
/// outside.
mlir::Value BodyEmitter::emitWindow(mlir::Value value, llvm::ArrayRef<Node::Position> positions, const Node &node) {
  if (llvm::all_of(positions, readsWhole))
    return value;
  llvm::SmallVector<int64_t> shape(llvm::cast<mlir::RankedTensorType>(value.getType()).getShape()), shown;
  llvm::SmallVector<int64_t> offsets(shape.size(), 0), padded(shape);
  llvm::SmallVector<plc::ein::AxisPositions> axes;
  for (auto [axis, position] : llvm::enumerate(positions)) {
    plc::ein::AxisPositions &own = axes.emplace_back();
    if (readsWhole(position)) {
      own = {0, {int64_t(shown.size())}, {1}};
      shown.push_back(shape[axis]);
      continue;
    }
    int64_t least = position.start, most = position.start;
    for (auto [id, stride] : llvm::zip(position.indices, position.strides))
      (stride > 0 ? most : least) += stride * (extent(id) - 1);
    if (!position.indices.empty() && isRun(position)) {
      own = {0, {int64_t(shown.size())}, {1}};
      shown.push_back(most - least + 1);
    } else {
      for (auto [id, stride] : llvm::zip(position.indices, position.strides)) {
        own.dims.push_back(shown.size());
        own.strides.push_back(stride);
        shown.push_back(extent(id));
      }
    }
    // Positions below 0 shift the value inside its padding.
    offsets[axis] = std::max<int64_t>(0, -least);
    own.offset = position.start + offsets[axis];
    padded[axis] = offsets[axis] + std::max(shape[axis], most + 1);
  }
  if (padded != shape)
    value = emitPadding(value, offsets, padded, node);
  return plc::ein::window(builder, at(node.location), value, axes, shown);
}

/// The value as a slice of a tensor of this shape, with the node's number around it.
mlir::Value BodyEmitter::emitPadding(mlir::Value value, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> shape,
                                     const Node &node) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  mlir::Value placed = plc::ein::insertSlice(builder, at(node.location), value, offsets, strides, shape);
  if (*node.padding == 0)
    return placed;
  auto map = [&](plc::ein::Function function, llvm::ArrayRef<mlir::Value> inputs, llvm::ArrayRef<AffineMap> maps,
                 mlir::RankedTensorType result) -> mlir::Value {
    return plc::ein::MapOp::create(builder, at(node.location), result, function, inputs, result.getShape(),
                                   builder.getAffineMapArrayAttr(maps));
  };
  // Zeros of the padding become the number, axis by axis, where the position is outside of the value.
  mlir::MLIRContext *context = builder.getContext();
  AffineMap all = AffineMap::getMultiDimIdentityMap(shape.size(), context),
            one = AffineMap::get(shape.size(), 0, context);
  AffineMap line = AffineMap::getMultiDimIdentityMap(1, context), point = AffineMap::get(1, 0, context);
  mlir::Value number = emitNumber(*node.padding, node.location, node.element).value;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (extent == type.getDimSize(axis))
      continue;
    Element integer = extent > INT32_MAX ? Element::I64 : Element::I32;
    auto positions = mlir::RankedTensorType::get({extent}, elementType(integer));
    auto truths = mlir::RankedTensorType::get({extent}, elementType(Element::Bool));
    auto bound = [&](int64_t at) { return emitNumber(double(at), node.location, integer).value; };
    mlir::Value at = plc::ein::IotaOp::create(builder, this->at(node.location), positions);
    mlir::Value from = map(plc::ein::Function::ge, {at, bound(offsets[axis])}, {line, point, line}, truths);
    mlir::Value to =
        map(plc::ein::Function::lt, {at, bound(offsets[axis] + type.getDimSize(axis))}, {line, point, line}, truths);
    mlir::Value inside = map(plc::ein::Function::logical_and, {from, to}, {line, line, line}, truths);
    AffineMap along = AffineMap::get(shape.size(), 0, {mlir::getAffineDimExpr(axis, context)}, context);
    placed = map(plc::ein::Function::select, {inside, placed, number}, {along, all, one, all}, type.clone(shape));
  }
  return placed;
}

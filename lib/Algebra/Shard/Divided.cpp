//===- Divided.cpp - tensors in shards along an axis ----------------------===//
#include "Divided.h"
#include "Base/Equations.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

RankedTensorType algebra::partType(Type whole, int64_t axis, int64_t shards) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= shards;
  return RankedTensorType::Builder(type).setShape(shape);
}

// The position of a shard's element in the whole.
static AffineMap placeOf(OpBuilder &builder, Type partType, int64_t axis, int64_t shard) {
  auto type = cast<RankedTensorType>(partType);
  SmallVector<AffineExpr> at;
  for (int64_t i = 0; i < type.getRank(); ++i)
    at.push_back(builder.getAffineDimExpr(i) + (i == axis ? shard * type.getDimSize(axis) : 0));
  return AffineMap::get(type.getRank(), 0, at, builder.getContext());
}

Value algebra::sliceOf(OpBuilder &builder, Value whole, int64_t axis, int64_t shard, int64_t shards) {
  RankedTensorType type = partType(whole.getType(), axis, shards);
  return ein::WindowOp::create(builder, whole.getLoc(), type, whole, placeOf(builder, type, axis, shard));
}

Value algebra::join(OpBuilder &builder, Location loc, Type whole, const Divided &from) {
  auto type = cast<RankedTensorType>(whole);
  // Equations do not add storage types. Widening is exact, so the shards are widened, joined and rounded back.
  if (ein::isNarrow(type)) {
    Divided wide{from.axis, {}};
    for (Value piece : from.shards)
      wide.shards.push_back(ein::CastOp::create(builder, loc, ein::wideTypeOf(piece.getType()), piece));
    return ein::CastOp::create(builder, loc, type, join(builder, loc, ein::wideTypeOf(type), wide));
  }
  EquationBuilder build(builder, loc, dimensionsOf(whole));
  Dims dims = axesOf(type);
  ein::Function joiner = type.getElementType().isInteger(1) ? ein::Function::logical_or : ein::Function::add;
  Value joined;
  for (auto [shard, piece] : llvm::enumerate(from.shards)) {
    Value placed = ein::InsertSliceOp::create(builder, loc, type, piece,
                                              placeOf(builder, piece.getType(), from.axis, int64_t(shard)));
    joined = joined ? build.map(joiner, {{joined, dims}, {placed, dims}}, dims) : placed;
  }
  return joined;
}

std::optional<int64_t> algebra::axisBehind(Operation *op, int64_t axis, int64_t shards) {
  auto before = cast<RankedTensorType>(op->getOperand(0).getType());
  auto behind = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t more = behind.getRank() - before.getRank();
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<ein::CastOp, ein::StopOp>([&](auto) { return axis; })
      .Case([&](ein::SplitOp split) -> std::optional<int64_t> {
        int64_t at = split.getAxis();
        // The first of the new axes is the slowest: the shards must divide it.
        if (axis == at && behind.getDimSize(at) % shards)
          return std::nullopt;
        return axis <= at ? axis : axis + more;
      })
      .Case([&](ein::MergeOp merge) -> std::optional<int64_t> {
        int64_t at = merge.getAxis();
        // Of the merged axes only the slowest keeps shards contiguous.
        if (axis > at && axis <= at - more)
          return std::nullopt;
        return axis <= at ? axis : axis + more;
      })
      .Case([&](ein::WindowOp window) { return window.shownWhole(axis); })
      .Case([&](ein::InsertSliceOp place) { return place.keepsWhole(axis) ? std::optional(axis) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

Value algebra::partOf(OpBuilder &builder, ein::Equation op, SmallVector<Value> operands, int64_t dim, int64_t shard,
                      int64_t shards) {
  SmallVector<int64_t> extents(op.getExtents());
  for (auto [index, input] : llvm::enumerate(inputsOf(op)))
    if (const auto *at = llvm::find(input.dims, dim); at != input.dims.end())
      if (int64_t axis = at - input.dims.begin(); shapeOf(operands[index])[axis] == extents[dim])
        operands[index] = sliceOf(builder, operands[index], axis, shard, shards);
  extents[dim] /= shards;
  auto clone = cast<ein::Equation>(builder.clone(*op));
  clone->setOperands(operands);
  clone.setExtents(extents);
  Dims dims = resultOf(op).dims;
  if (const auto *at = llvm::find(dims, dim); at != dims.end())
    clone->getResult(0).setType(partType(op->getResult(0).getType(), at - dims.begin(), shards));
  return clone->getResult(0);
}

//===- Parts.cpp - left sides that are a part of an axis ----------------------===//
//
// `y[n, C + c] += b[n, c]` gives the elements from C on of an axis whose extent a header, a line of its own or an
// earlier clause says; the others are 0, or false. The part is read where it is, and added to the clauses before.
//
//===----------------------------------------------------------------------===//
#include "EmitEquations.h"
#include "RuleBuilder.h"
#include "plc/Dialect/Ein/Ein.h"

using namespace plc::language;
using llvm::Twine;
using mlir::AffineMap;

std::optional<Binding> RuleBuilder::addPart(StringRef name, SMLoc place, const Node *node) {
  std::optional<llvm::SmallVector<Axis, 4>> whole = wholeAxes(name);
  if (earlier)
    whole = earlier->view.axes;
  if (!whole || whole->size() != leftAxes.size()) {
    diagnostics.error(place, "'" + name + "' gets a part of an axis but nothing says the axes; state them before: '" +
                                 name + ": [..]'");
    return std::nullopt;
  }
  llvm::SmallVector<unsigned, 4> parts;
  for (const Affine &axis : leftAxes)
    parts.push_back(axis.indices.size());
  Binding part = addEquation(name, place, node, left, parts, elementOf(*node, name));
  if (part.kind == Binding::Broken)
    return std::nullopt;
  Step &step = body.steps.back();
  Value &value = body.values[step.result];
  for (auto [own, axis, extent] : llvm::zip(leftAxes, *whole, value.axes)) {
    step.offsets.push_back(own.offset);
    if (!own.offset)
      continue;
    if (*own.offset > axis.extent || extent.extent > axis.extent - *own.offset) {
      diagnostics
          .error(own.expr->place, "'" + own.expr->text.substr(0, 60) + "' gives " + Twine(extent.extent) +
                                      " elements from " + Twine(*own.offset) + " on, but the axis of '" + name +
                                      "' has extent " + Twine(axis.extent))
          .note(axis.place, "extent " + Twine(axis.extent) + " is from here")
          .note(extent.place, "extent " + Twine(extent.extent) + " is from here");
      return std::nullopt;
    }
    extent = axis;
  }
  if (!elaborator.checkStep(value))
    return std::nullopt;
  part.view = body.whole(step.result);
  return earlier ? addWholes(name, place, part) : part;
}

/// The sum of the clauses before and one more, both of whole axes.
std::optional<Binding> RuleBuilder::addWholes(StringRef name, SMLoc place, const Binding &part) {
  llvm::SmallVector<IndexId, 4> ids;
  llvm::SmallVector<Node::Position, 4> entries;
  for (auto [position, axis] : llvm::enumerate(part.view.axes)) {
    ids.push_back(indexNamed(("#" + Twine(position)).str()));
    (*indices)[ids.back()] = {"", axis.extent, axis.place, "'" + name.str() + "'", int(position), SMLoc()};
    entries.push_back({{ids.back()}});
  }
  const Node *before = makeRead(earlier->view, entries, place), *now = makeRead(part.view, entries, place);
  const Node *sum = makeMap(now->element == Element::Bool ? "or" : "add", place, {before, now});
  if (!sum)
    return std::nullopt;
  Binding result = addEquation(name, place, sum, ids, llvm::SmallVector<unsigned, 4>(ids.size(), 1), sum->element);
  return result.kind == Binding::Broken ? std::nullopt : std::optional(result);
}

/// Axis `axis` of a value as the part from `offset` on of an axis of this extent; the other elements are 0.
mlir::Value BodyEmitter::placePart(mlir::Value value, unsigned axis, int64_t offset, int64_t extent, SMLoc place) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  mlir::MLIRContext *context = builder.getContext();
  int64_t own = type.getDimSize(axis);
  Element integer = extent > INT32_MAX ? Element::I64 : Element::I32;
  auto map = [&](StringRef function, llvm::ArrayRef<mlir::Value> inputs, llvm::ArrayRef<AffineMap> maps,
                 mlir::RankedTensorType result) -> mlir::Value {
    auto symbol = plc::ein::FunctionAttr::get(context, *plc::ein::symbolizeFunction(function));
    auto domain = builder.getDenseI64ArrayAttr(result.getShape());
    return plc::ein::MapOp::create(builder, at(place), result, symbol, inputs, domain,
                                   builder.getAffineMapArrayAttr(maps));
  };
  // Clamp the position into the part, so that the gather is always in range, and compare: where clamping changed the
  // position, the element lies outside of the part and is 0.
  AffineMap line = AffineMap::getMultiDimIdentityMap(1, context), none = AffineMap::get(1, 0, context);
  auto positions = mlir::RankedTensorType::get({extent}, elementType(integer));
  auto number = [&](int64_t n) { return emitNumber(static_cast<double>(n), place, integer).value; };
  mlir::Value whole = plc::ein::IotaOp::create(builder, at(place), positions);
  mlir::Value position = map("sub", {whole, number(offset)}, {line, none, line}, positions);
  mlir::Value clamped = map("max", {position, number(0)}, {line, none, line}, positions);
  clamped = map("min", {clamped, number(own - 1)}, {line, none, line}, positions);
  mlir::Value inside = map("eq", {position, clamped}, {line, line, line}, positions.clone(elementType(Element::Bool)));

  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[axis] = extent;
  llvm::SmallVector<mlir::AffineExpr> table;
  for (unsigned i = 0; i < shape.size(); ++i)
    table.push_back(i == axis ? mlir::getAffineSymbolExpr(0, context) : mlir::getAffineDimExpr(i, context));
  AffineMap all = AffineMap::getMultiDimIdentityMap(shape.size(), context);
  AffineMap along = AffineMap::get(shape.size(), 0, {mlir::getAffineDimExpr(axis, context)}, context);
  AffineMap scalar = AffineMap::get(shape.size(), 0, context);
  auto result = mlir::RankedTensorType::get(shape, type.getElementType());
  mlir::Value read = plc::ein::GatherOp::create(
      builder, at(place), result, value, mlir::ValueRange{clamped}, builder.getDenseI64ArrayAttr(shape),
      builder.getAffineMapArrayAttr({AffineMap::get(shape.size(), 1, table, context), along, all}));
  auto zeroType = mlir::RankedTensorType::get({}, type.getElementType());
  mlir::Value zero = plc::ein::ConstantOp::create(builder, at(place), zeroType, llvm::APFloat(0.0));
  return map("select", {inside, read, zero}, {along, all, scalar, all}, result);
}

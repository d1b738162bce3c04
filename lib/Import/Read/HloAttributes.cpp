// Reads attributes of StableHLO, whose dialect is not loaded: its own attributes are texts.
#include "Read/HloGraph.h"

#include "plc/Support/IRElementType.h"

using llvm::StringRef;

namespace plc::import {

mlir::Attribute attributeOf(mlir::Operation *op, StringRef name) {
  if (auto properties = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op->getPropertiesAsAttribute()))
    if (mlir::Attribute attribute = properties.get(name))
      return attribute;
  return op->getDiscardableAttr(name);
}

Shape listIn(StringRef text, StringRef key) {
  Shape list;
  size_t at = text.find((key + " = [").str());
  if (at == StringRef::npos)
    return list;
  llvm::SmallVector<StringRef> items;
  text.substr(at + key.size() + 4).split(']').first.split(items, ',', -1, false);
  for (StringRef item : items) {
    int64_t value;
    requireFit(!item.trim().getAsInteger(10, value));
    list.push_back(value);
  }
  return list;
}

mlir::Attribute HloOp::attribute(StringRef name) const { return attributeOf(op, name); }

/// A list of integers or truths; empty if it is not there.
Shape HloOp::integers(StringRef name) const {
  mlir::Attribute found = attribute(name);
  if (auto list = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(found))
    return list.asArrayRef().vec();
  if (auto list = llvm::dyn_cast_or_null<mlir::DenseBoolArrayAttr>(found))
    return Shape(list.asArrayRef().begin(), list.asArrayRef().end());
  Shape result;
  if (auto list = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(found))
    for (const llvm::APInt &each : list.getValues<llvm::APInt>()) {
      requireFit(each.getBitWidth() <= 64 && result.size() < 64);
      result.push_back(each.getSExtValue());
    }
  return result;
}

int64_t HloOp::integer(StringRef name, int64_t otherwise) const {
  auto found = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute(name));
  return found && found.getValue().getSignificantBits() <= 64 ? found.getValue().getSExtValue() : otherwise;
}

std::string HloOp::text(StringRef name) const {
  std::string result;
  if (mlir::Attribute found = attribute(name))
    llvm::raw_string_ostream(result) << found;
  return result;
}

/// The operation that the body of a reduction is, on its two arguments; empty if it is another body.
StringRef HloOp::reducer() const {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return "";
  mlir::Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2)
    return "";
  mlir::Operation &combine = body.front(), &end = body.back();
  bool isPlain = combine.getNumOperands() == 2 && combine.getNumResults() == 1 && end.getNumOperands() == 1 &&
                 end.getOperand(0) == combine.getResult(0) &&
                 (combine.getOperand(0) == body.getArgument(0)
                      ? combine.getOperand(1) == body.getArgument(1)
                      : combine.getOperand(0) == body.getArgument(1) && combine.getOperand(1) == body.getArgument(0));
  return isPlain ? combine.getName().stripDialect() : "";
}

ElementType HloOp::type() const { return plc::elementTypeOf(op->getResult(0).getType()); }
Shape HloOp::shape() const { return llvm::cast<mlir::ShapedType>(op->getResult(0).getType()).getShape().vec(); }

} // namespace plc::import

//===- IRElementType.cpp - element types as MLIR has them -----------------===//
#include "plc/Support/IRElementType.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

Type plc::irTypeOf(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F64: return Float64Type::get(context);
  case ElementType::F32: return Float32Type::get(context);
  case ElementType::I64: return IntegerType::get(context, 64);
  case ElementType::I32: return IntegerType::get(context, 32);
  case ElementType::Bool: return IntegerType::get(context, 1);
  case ElementType::BF16: return BFloat16Type::get(context);
  case ElementType::F16: return Float16Type::get(context);
  case ElementType::I8: return IntegerType::get(context, 8);
  case ElementType::U8: return IntegerType::get(context, 8, IntegerType::Unsigned);
  }
  llvm_unreachable("no row of the table");
}

std::optional<plc::ElementType> plc::findElementType(Type type) {
  Type element = getElementTypeOrSelf(type);
  for (ElementType each : allElementTypes)
    if (irTypeOf(each, type.getContext()) == element)
      return each;
  return std::nullopt;
}

plc::ElementType plc::elementTypeOf(Type type) { return findElementType(type).value(); }

int64_t plc::byteSizeOf(RankedTensorType tensor) {
  return tensor.getNumElements() * int64_t(byteWidth(elementTypeOf(tensor)));
}

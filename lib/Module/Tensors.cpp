//===- Tensors.cpp - element types and shapes -------------------------------===//
#include "plc/Module/Tensors.h"

namespace plc::module {

std::string_view nameOf(ElementType type) {
  switch (type) {
  case ElementType::F64: return "f64";
  case ElementType::F32: return "f32";
  case ElementType::I64: return "i64";
  case ElementType::I32: return "i32";
  case ElementType::Bool: return "bool";
  }
  return "?";
}

std::optional<ElementType> parseElementType(std::string_view name) {
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::I64, ElementType::I32, ElementType::Bool})
    if (nameOf(type) == name)
      return type;
  return std::nullopt;
}

int64_t TensorInfo::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string TensorInfo::typeText() const {
  std::string text(nameOf(type));
  text += "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

} // namespace plc::module

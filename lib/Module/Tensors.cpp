//===- Tensors.cpp - shapes of tensors ------------------------------------===//
#include "plc/Module/Tensors.h"

namespace plc::module {

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

//===- Tensor.h - a dense tensor of the interpreter -------------*- C++ -*-===//
#ifndef PLC_REFERENCE_TENSOR_H
#define PLC_REFERENCE_TENSOR_H

#include "plc/Support/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plc::reference {

/// Row-major values, shared by copies of the tensor, and written only while they are made. A default tensor is vacant.
class Tensor {
public:
  Tensor() = default;
  /// All zeros.
  Tensor(ElementType element, std::vector<int64_t> shape)
      : element(element), shape(std::move(shape)),
        bytes(std::make_shared<std::vector<std::byte>>(numElements() * byteWidth(element))) {}

  bool isVacant() const { return !bytes; }
  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
  size_t numBytes() const { return bytes->size(); }
  std::byte *data() { return bytes->data(); }
  const std::byte *data() const { return bytes->data(); }
  template <typename T>
  T *as() {
    return reinterpret_cast<T *>(bytes->data());
  }
  template <typename T>
  const T *as() const {
    return reinterpret_cast<const T *>(bytes->data());
  }
  /// A copy with values of its own.
  Tensor copy() const {
    Tensor result = *this;
    result.bytes = std::make_shared<std::vector<std::byte>>(*bytes);
    return result;
  }

  ElementType element = ElementType::F32;
  std::vector<int64_t> shape;

private:
  std::shared_ptr<std::vector<std::byte>> bytes;
};

} // namespace plc::reference

#endif

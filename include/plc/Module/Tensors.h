//===- Tensors.h - element types and shapes ---------------------*- C++ -*-===//
#ifndef PLC_MODULE_TENSORS_H
#define PLC_MODULE_TENSORS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plc::module {

/// A bool takes a byte, 0 or 1.
enum class ElementType : uint8_t { F64, F32, I64, I32, Bool };

/// Bytes of one element.
constexpr size_t byteWidth(ElementType type) {
  return type == ElementType::Bool ? 1 : type == ElementType::F64 || type == ElementType::I64 ? 8 : 4;
}

constexpr bool isReal(ElementType type) { return type == ElementType::F64 || type == ElementType::F32; }

/// `f64`, `f32`, `i64`, `i32`, `bool`.
std::string_view nameOf(ElementType type);
std::optional<ElementType> parseElementType(std::string_view name);

struct TensorInfo {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  /// The batch, of which each micro-batch takes a run; -1: none is.
  int64_t batchAxis = -1;

  bool batched() const { return batchAxis >= 0; }
  int64_t numElements() const;
  size_t numBytes() const { return static_cast<size_t>(numElements()) * byteWidth(type); }
  /// `f32[8, 128]`.
  std::string typeText() const;
};

} // namespace plc::module

#endif

// Element types, shapes, and dense row-major tensors in memory.
#ifndef PLC_RUNTIME_TENSOR_H
#define PLC_RUNTIME_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plc::runtime {

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

/// Raw bytes of a dense row-major tensor.
using Bytes = std::vector<std::byte>;

struct Tensor {
  TensorInfo info;
  Bytes data;
};

/// Samples `begin` to `begin + count - 1` of a batched tensor, dense, to or from the whole.
void takeSamples(const TensorInfo &whole, const std::byte *from, int64_t begin, int64_t count, std::byte *samples);
void putSamples(const TensorInfo &whole, std::byte *to, int64_t begin, int64_t count, const std::byte *samples);

/// The first byte that is neither 0 nor 1 of a tensor of bool, or -1.
int64_t firstBadBool(const Tensor &tensor);

/// The value of element `index` (an i64 beyond 2^53 is rounded).
double elementAsDouble(ElementType type, const void *data, int64_t index);

} // namespace plc::runtime

#endif

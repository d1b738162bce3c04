// Dense row-major tensors in memory.
#ifndef PLC_RUNTIME_BASE_TENSOR_H
#define PLC_RUNTIME_BASE_TENSOR_H

#include "plc/Module/Tensors.h"

namespace plc::runtime {

using module::TensorInfo;

/// Raw bytes of a dense row-major tensor.
using Bytes = std::vector<std::byte>;

struct Tensor {
  TensorInfo info;
  Bytes data;
};

/// Samples `begin` to `begin + count - 1` of a batched tensor, dense, to or from the whole.
void takeSamples(const TensorInfo &whole, const std::byte *from, int64_t begin, int64_t count, std::byte *samples);
void putSamples(const TensorInfo &whole, std::byte *to, int64_t begin, int64_t count, const std::byte *samples);

/// The number in each of so many elements.
void fillElements(ElementType type, int64_t count, void *elements, double value);

/// The first byte that is neither 0 nor 1 of a tensor of bool, or -1.
int64_t firstBadBool(const Tensor &tensor);

/// The value of element `index` (an i64 beyond 2^53 is rounded).
double elementAsDouble(ElementType type, const void *data, int64_t index);

/// Where element `index` stands: `[1, 0, 3]`.
std::string positionText(const TensorInfo &info, int64_t index);

} // namespace plc::runtime

#endif

// Dense row-major tensors in memory.
#ifndef PLC_RUNTIME_BASE_TENSOR_H
#define PLC_RUNTIME_BASE_TENSOR_H

#include "plc/Module/Tensors.h"

namespace plc::runtime {

using module::TensorInfo;

/// Raw bytes of a dense row-major tensor.
using Bytes = std::vector<std::byte>;

/// A tensor with its elements.
struct Tensor {
  TensorInfo info;
  Bytes data;
};

/// Copies samples `begin` to `begin + count - 1` of a batched tensor out of the whole, or puts them there. Samples are
/// dense.
void takeSamples(const TensorInfo &whole, const std::byte *from, int64_t begin, int64_t count, std::byte *samples);
void putSamples(const TensorInfo &whole, std::byte *to, int64_t begin, int64_t count, const std::byte *samples);

/// Sets each of `count` elements to a number.
void fillElements(ElementType type, int64_t count, void *elements, double value);

/// The offset of the first byte of a bool tensor that is neither 0 nor 1; -1 if there is none.
int64_t firstBadBool(const Tensor &tensor);

/// The value of element `index` (an i64 beyond 2^53 is rounded).
double elementAsDouble(ElementType type, const void *data, int64_t index);

/// The indices of element `index`: `[1, 0, 3]`.
std::string positionText(const TensorInfo &info, int64_t index);

} // namespace plc::runtime

#endif

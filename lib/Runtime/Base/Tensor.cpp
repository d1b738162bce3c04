// Samples and elements of dense tensors.
#include "plc/Runtime/Base/Tensor.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {
/// Calls copy(offset in the whole, offset in the samples, bytes) for each contiguous run of the samples.
template <class Copy>
void forEachRun(const TensorInfo &whole, int64_t begin, int64_t count, Copy copy) {
  auto axis = whole.shape.begin() + whole.batchAxis;
  size_t inner = byteWidth(whole.type), runs = 1;
  for (auto extent = whole.shape.begin(); extent != axis; ++extent)
    runs *= static_cast<size_t>(*extent);
  for (auto extent = axis + 1; extent != whole.shape.end(); ++extent)
    inner *= static_cast<size_t>(*extent);
  size_t bytes = static_cast<size_t>(count) * inner, stride = static_cast<size_t>(*axis) * inner;
  for (size_t run = 0; run < runs; ++run)
    copy(run * stride + static_cast<size_t>(begin) * inner, run * bytes, bytes);
}
} // namespace

void takeSamples(const TensorInfo &whole, const std::byte *from, int64_t begin, int64_t count, std::byte *samples) {
  forEachRun(whole, begin, count,
             [&](size_t at, size_t of, size_t bytes) { std::memcpy(samples + of, from + at, bytes); });
}

void putSamples(const TensorInfo &whole, std::byte *to, int64_t begin, int64_t count, const std::byte *samples) {
  forEachRun(whole, begin, count,
             [&](size_t at, size_t of, size_t bytes) { std::memcpy(to + at, samples + of, bytes); });
}

void fillElements(ElementType type, int64_t count, void *elements, double value) {
  visit(type, [&](auto traits) {
    using Value = typename decltype(traits)::Value;
    std::fill_n(static_cast<Value *>(elements), count, static_cast<Value>(value));
  });
}

int64_t firstBadBool(const Tensor &tensor) {
  if (kindOf(tensor.info.type) != ElementKind::Truth)
    return -1;
  auto bad = std::find_if(tensor.data.begin(), tensor.data.end(), [](std::byte b) { return b > std::byte{1}; });
  return bad == tensor.data.end() ? -1 : bad - tensor.data.begin();
}

double elementAsDouble(ElementType type, const void *data, int64_t index) {
  return visit(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    T value;
    std::memcpy(&value, static_cast<const std::byte *>(data) + static_cast<size_t>(index) * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  });
}

std::string positionText(const TensorInfo &info, int64_t index) {
  std::string text;
  for (size_t axis = info.shape.size(); axis-- > 0;) {
    text.insert(0, std::to_string(index % info.shape[axis]) + (text.empty() ? "" : ", "));
    index /= info.shape[axis];
  }
  return "[" + text + "]";
}

} // namespace plc::runtime

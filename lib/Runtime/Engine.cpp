#include "plc/Runtime/Engine.h"

#include <type_traits>

namespace plc::runtime {

const EntryInfo *Engine::findEntry(std::string_view name) const {
  for (const EntryInfo &entry : entries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

int64_t parameterBytes(const std::vector<ParameterInfo> &parameters, int numMoments) {
  int64_t bytes = 0;
  for (const ParameterInfo &parameter : parameters)
    bytes += static_cast<int64_t>(parameter.tensor().numBytes()) * (parameter.frozen ? 1 : 1 + numMoments);
  return bytes;
}

void addInOrder(ElementType type, int64_t count, void *sum, const void *term) {
  visit(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    using Sum = typename ElementTraits<traits.sum>::Value;
    auto *to = static_cast<T *>(sum);
    auto *from = static_cast<const T *>(term);
    for (int64_t i = 0; i < count; ++i)
      if constexpr (traits.kind == ElementKind::Real)
        to[i] = static_cast<T>(static_cast<Sum>(to[i]) + static_cast<Sum>(from[i]));
      else if constexpr (traits.kind == ElementKind::Integer) // wraps
        to[i] =
            static_cast<T>(static_cast<std::make_unsigned_t<T>>(to[i]) + static_cast<std::make_unsigned_t<T>>(from[i]));
    // Nothing that is true or false is a sum over the batch.
  });
}

namespace {

/// add(sum, term) in the order of the lanes: `value(i)` is a copy of what micro-batch i has.
template <class Value, class Add>
auto sumByLanes(size_t count, int64_t lanes, Value value, Add add) {
  const size_t run = count / static_cast<size_t>(lanes);
  auto laneAt = [&](size_t first) {
    auto sum = value(first);
    for (size_t i = first + 1; i < first + run; ++i)
      add(sum, value(i));
    return sum;
  };
  auto sum = laneAt(0);
  for (size_t first = run; first < count; first += run)
    add(sum, laneAt(first));
  return sum;
}

} // namespace

Bytes sumOfMicroBatches(const TensorInfo &info, int64_t lanes, const std::vector<const void *> &values) {
  return sumByLanes(
      values.size(), lanes,
      [&](size_t i) {
        const auto *bytes = static_cast<const std::byte *>(values[i]);
        return Bytes(bytes, bytes + info.numBytes());
      },
      [&](Bytes &sum, const Bytes &term) { addInOrder(info.type, info.numElements(), sum.data(), term.data()); });
}

double sumOfMicroBatches(ElementType type, int64_t lanes, const std::vector<double> &values) {
  if (values.empty())
    return 0;
  return visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    return static_cast<double>(sumByLanes(
        values.size(), lanes, [&](size_t i) { return static_cast<T>(values[i]); },
        [](T &sum, T term) { sum += term; }));
  });
}

} // namespace plc::runtime

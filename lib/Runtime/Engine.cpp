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

double sumInOrder(ElementType type, const std::vector<double> &values) {
  if (values.empty())
    return 0;
  return visitReal(type, [&](auto traits) {
    auto sum = static_cast<typename decltype(traits)::Value>(values[0]);
    for (size_t i = 1; i < values.size(); ++i)
      sum += static_cast<typename decltype(traits)::Value>(values[i]);
    return static_cast<double>(sum);
  });
}

} // namespace plc::runtime

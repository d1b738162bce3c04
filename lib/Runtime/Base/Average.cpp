// The moving averages of parameters.
#include "plc/Runtime/Base/Average.h"

#include "plc/Runtime/Base/Optimizer.h"

#include <algorithm>

namespace plc::runtime {

void updateAverage(ElementType type, int64_t begin, int64_t count, double ema, const void *value, void *average) {
  visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    const int64_t end = std::min(count, begin + updatedPart);
    const T old = static_cast<T>(ema), rest = static_cast<T>(1 - ema);
    const T *__restrict from = static_cast<const T *>(value);
    T *__restrict to = static_cast<T *>(average);
    for (int64_t i = begin; i < end; ++i)
      to[i] = old * to[i] + rest * from[i];
  });
}

} // namespace plc::runtime

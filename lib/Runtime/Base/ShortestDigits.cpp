// Text of numbers by std::to_chars.
#include "plc/Runtime/Base/ShortestDigits.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace plc::runtime {

std::string shortestDigits(ElementType type, double value) {
  if (!std::isfinite(value))
    return "null";
  char text[64];
  std::to_chars_result result = visit(type, [&](auto traits) {
    using Wide = typename ElementTraits<traits.sum>::Value;
    using T = std::conditional_t<traits.kind == ElementKind::Real, Wide, double>;
    return std::to_chars(text, text + sizeof(text), static_cast<T>(value));
  });
  return std::string(text, result.ptr);
}

std::string bitsText(ElementType type, double value) {
  // Which NaN results from two depends on the processor, so all become one.
  if (std::isnan(value))
    value = std::numeric_limits<double>::quiet_NaN();
  char text[17];
  visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    std::snprintf(text, sizeof(text), "%0*llx", int(2 * sizeof(T)),
                  static_cast<unsigned long long>(std::bit_cast<Bits>(static_cast<T>(value))));
  });
  return text;
}

} // namespace plc::runtime

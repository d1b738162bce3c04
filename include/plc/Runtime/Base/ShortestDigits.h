// Numbers as text that reads back as the same value.
#ifndef PLC_RUNTIME_BASE_SHORTESTDIGITS_H
#define PLC_RUNTIME_BASE_SHORTESTDIGITS_H

#include "plc/Runtime/Base/Tensor.h"

#include <string>

namespace plc::runtime {

/// Shortest digits that read back as the same value of the type; `null` if it is not finite.
std::string shortestDigits(ElementType type, double value);

/// The loss's own bits, in hex: 8 digits for f32, 16 for f64. NaN is one value, whatever its sign.
std::string bitsText(ElementType type, double value);

} // namespace plc::runtime

#endif

// Numbers as text that reads back as the same value.
#ifndef PLC_RUNTIME_BASE_SHORTESTDIGITS_H
#define PLC_RUNTIME_BASE_SHORTESTDIGITS_H

#include "plc/Runtime/Base/Tensor.h"

#include <string>

namespace plc::runtime {

/// The shortest digits that read back as the same value of the type; `null` for NaN and infinities.
std::string shortestDigits(ElementType type, double value);

/// The bits of a value, in hex: 8 digits for f32, 16 for f64. Every NaN has one text.
std::string bitsText(ElementType type, double value);

} // namespace plc::runtime

#endif

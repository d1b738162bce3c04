//===- InputSource.h - sources of the values of inputs ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_INPUTSOURCE_H
#define PLC_SUPPORT_INPUTSOURCE_H

#include "plc/Support/Choice.h"

#include <cstdint>

namespace plc {

/// The source of the values of an input of a program.
enum class InputSource : uint8_t {
  Caller,
  Random,   ///< keys of draws, from a seed unless a caller gives them
  Step,     ///< the engine: the number of the optimizer's step, an i32
  LossScale ///< the engine: the factor of the loss before gradients are taken, an f32
};

template <>
struct Choice<InputSource> {
  static constexpr const char *noun = "source";
  static constexpr NamedRow table[] = {{"caller"}, {"random"}, {"step"}, {"loss_scale"}};
  static std::span<const NamedRow> rows() { return table; }
};

} // namespace plc

#endif

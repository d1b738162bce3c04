//===- RunInput.h - inputs that no file gives -------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_RUNINPUT_H
#define PLC_SUPPORT_RUNINPUT_H

#include <string>
#include <string_view>

namespace plc {

/// The input with the keys of all draws of the call at `path`: one for each sample, or one for the run.
inline std::string randomInputName(std::string_view path, bool ofSamples) {
  return (ofSamples ? "random(" : "random(all, ") + std::string(path) + ")";
}

/// No input of a model has a parenthesis in its name, so the prefix suffices.
inline bool isRandomInput(std::string_view name) { return name.starts_with("random("); }

/// Inputs that an engine gives: the number of the optimizer's step, an i32; and the scale of the loss, an f32.
inline constexpr std::string_view stepInputName = "step()", lossScaleInputName = "loss_scale()";

inline bool isGivenByEngine(std::string_view name) { return name == stepInputName || name == lossScaleInputName; }

} // namespace plc

#endif

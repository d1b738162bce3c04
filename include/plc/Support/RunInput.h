//===- RunInput.h - inputs that no file gives -------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_RUNINPUT_H
#define PLC_SUPPORT_RUNINPUT_H

#include <string>
#include <string_view>

namespace plc {

/// The input of a program that holds the keys of what the call at `path` draws: one for each sample, or one for all of a run.
inline std::string randomInputName(std::string_view path, bool ofSamples) {
  return (ofSamples ? "random(" : "random(all, ") + std::string(path) + ")";
}

/// No input of a model has a parenthesis in its name.
inline bool isRandomInput(std::string_view name) { return name.starts_with("random("); }

/// Inputs of a program that an engine gives itself: the number of the optimizer's step, an i32, and what the loss is multiplied by
/// before gradients are taken, an f32.
inline constexpr std::string_view stepInputName = "step()", lossScaleInputName = "loss_scale()";

inline bool isGivenByEngine(std::string_view name) { return name == stepInputName || name == lossScaleInputName; }

} // namespace plc

#endif

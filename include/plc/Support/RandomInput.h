//===- RandomInput.h - inputs that hold keys of draws -----------*- C++ -*-===//
#ifndef PLC_SUPPORT_RANDOMINPUT_H
#define PLC_SUPPORT_RANDOMINPUT_H

#include <string>
#include <string_view>

namespace plc {

/// The input of a training program that holds the keys of what the call at `path` draws: one for each sample, or one for
/// all of a step. No file gives it.
inline std::string randomInputName(std::string_view path, bool ofSamples) {
  return (ofSamples ? "random(" : "random(all, ") + std::string(path) + ")";
}

/// No input of a model has a parenthesis in its name.
inline bool isRandomInput(std::string_view name) { return name.starts_with("random("); }

} // namespace plc

#endif

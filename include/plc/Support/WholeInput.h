//===- WholeInput.h - inputs that micro-batches see whole -------*- C++ -*-===//
#ifndef PLC_SUPPORT_WHOLEINPUT_H
#define PLC_SUPPORT_WHOLEINPUT_H

#include <string>
#include <string_view>

namespace plc {

/// An additional argument of a program that was cut into micro-batches: an input's rows of the whole batch, the same in
/// each micro-batch, for a divisor of the loss that sums over them. The engine copies it from the input.
inline std::string wholeInputName(std::string_view input) { return "whole(" + std::string(input) + ")"; }

/// The input that a name like 'whole(m)' stands for; empty for any other name.
inline std::string_view wholeInputOf(std::string_view name) {
  constexpr std::string_view open = "whole(";
  if (!name.starts_with(open) || !name.ends_with(")"))
    return {};
  return name.substr(open.size(), name.size() - open.size() - 1);
}

} // namespace plc

#endif

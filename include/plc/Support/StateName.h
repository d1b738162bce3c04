//===- StateName.h - names of values kept between runs ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_STATENAME_H
#define PLC_SUPPORT_STATENAME_H

#include <string>
#include <string_view>

namespace plc {

/// A state is an argument of a program and a result of the same name: its value before a run, and after it. Callers do
/// not see it; the engine keeps it between runs.
inline std::string stateName(std::string_view path) { return "state(" + std::string(path) + ")"; }

/// The path of the state that a name like 'state(attention.0.k)' stands for; empty of any other name.
inline std::string_view stateOf(std::string_view name) {
  constexpr std::string_view open = "state(";
  if (!name.starts_with(open) || !name.ends_with(")"))
    return {};
  return name.substr(open.size(), name.size() - open.size() - 1);
}

} // namespace plc

#endif

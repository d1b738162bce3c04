//===- WholeChoice.h - checks that a choice's table is complete -*- C++ -*-===//
#ifndef PLC_SUPPORT_WHOLECHOICE_H
#define PLC_SUPPORT_WHOLECHOICE_H

#include "plc/Support/Choice.h"

#include <iterator>

namespace plc {

/// Whether an enum names a value: compilers print such a value by its name, any other as "(Kind)4".
template <auto value>
constexpr bool isNamed() {
  std::string_view text = __PRETTY_FUNCTION__;
  size_t cast = text.rfind(')');
  return cast == text.npos || text.find_first_of("-0123456789", cast) != cast + 1;
}

/// Whether a table has a row for each value of its enum. Tables and enums made from one .def need no such check.
template <typename Kind>
constexpr bool hasAllRows() {
  if constexpr (requires { Choice<Kind>::table; }) {
    constexpr size_t count = std::size(Choice<Kind>::table);
    return isNamed<Kind(count - 1)>() && !isNamed<Kind(count)>();
  }
  return true;
}

} // namespace plc

#endif

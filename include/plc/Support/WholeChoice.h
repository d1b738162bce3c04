//===- WholeChoice.h - that a choice's table has all rows -------*- C++ -*-===//
#ifndef PLC_SUPPORT_WHOLECHOICE_H
#define PLC_SUPPORT_WHOLECHOICE_H

#include "plc/Support/Choice.h"

#include <iterator>

namespace plc {

/// Whether a value is one that its enum names: only then a compiler writes it by its name, else as "(Kind)4".
template <auto value>
constexpr bool isNamed() {
  std::string_view text = __PRETTY_FUNCTION__;
  size_t cast = text.rfind(')');
  return cast == text.npos || text.find_first_of("-0123456789", cast) != cast + 1;
}

/// Whether a table has as many rows as its enum has names. Tables that are made of a .def, as the enum is, need no such check.
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

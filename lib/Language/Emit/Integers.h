//===- Integers.h - integer expressions -------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_INTEGERS_H
#define PLC_LIB_LANGUAGE_EMIT_INTEGERS_H

#include "Program.h"

namespace plc::language {

/// Whether an expression is an integer: numbers and indices are, joined by operations that keep them integers.
bool isIntegral(const Node &node);

/// Whether `//` or `%` makes an integer of numbers and indices alone.
bool roundsNumbers(const Node &node);

/// The type in which an integer expression of numbers and indices is computed if nothing else gives one: i32 if no
/// intermediate value can exceed it, else i64.
Element integerTypeOf(const Node &node, const std::vector<Index> &indices);

} // namespace plc::language

#endif

//===- Integers.h - numbers and indices that are integers -------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_INTEGERS_H
#define PLC_LIB_LANGUAGE_EMIT_INTEGERS_H

#include "Program.h"

namespace plc::language {

/// Is the expression an integer? Numbers and indices are, joined by what keeps them integers.
bool isIntegral(const Node &node);

/// Does `//` or `%` make an integer of numbers and indices alone?
bool roundsNumbers(const Node &node);

/// The type in which an integral expression of numbers and indices is computed where nothing else tells one: i32 if
/// no part of it can be beyond, else i64.
Element integerTypeOf(const Node &node, const std::vector<Index> &indices);

} // namespace plc::language

#endif

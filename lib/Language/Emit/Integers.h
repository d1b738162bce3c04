//===- Integers.h - integer expressions -------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_INTEGERS_H
#define PLC_LIB_LANGUAGE_EMIT_INTEGERS_H

#include "Program.h"
#include <cmath>

namespace plc::language {

/// Whether an expression is an integer: numbers and indices are, joined by operations that keep them integers.
bool isIntegral(const Node &node);

/// Whether a function of the ein dialect is one of bits, which only integers have.
bool isBitFunction(StringRef function);

/// Whether `//`, `%` or a bit operation makes an integer of numbers and indices alone.
bool roundsNumbers(const Node &node);

/// The type in which an integer expression of numbers and indices is computed if nothing else gives one: i32 if no
/// intermediate value can exceed it, else i64.
Element integerTypeOf(const Node &node, const std::vector<Index> &indices);

/// Bounds of an integer expression.
struct Range {
  double least = -INFINITY, most = INFINITY;

  bool isBounded() const { return least > -INFINITY && most < INFINITY; }
  /// Those of a node that reads what equations of `body` make. `depth` limits how far they are followed.
  static Range of(const Node &node, const std::vector<Index> &indices, const Body &body, unsigned depth = 16);
};

} // namespace plc::language

#endif

//===- Signs.h - signs before a factor --------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_SIGNS_H
#define PLC_LIB_LANGUAGE_SYNTAX_SIGNS_H

#include "Syntax.h"

namespace plc::language {

/// The expression behind its signs. Flips `negated` for each of them.
inline const Expr &stripSigns(const Expr &expr, bool &negated) {
  const Expr *inner = &expr;
  for (; inner->kind == Expr::Negate; inner = inner->operands[0])
    negated = !negated;
  return *inner;
}
inline const Expr &stripSigns(const Expr &expr) {
  bool ignored = false;
  return stripSigns(expr, ignored);
}

} // namespace plc::language

#endif

//===- SumRule.h - where an index that is not on the left is summed -*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SUMRULE_H
#define PLC_LIB_LANGUAGE_SUMRULE_H

#include "Program.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// A term: a maximal chain of `*`, `/` and sign.
struct Term {
  int parent; // the term around it, or -1
  const Expr *expr;
  bool underFunction; // it is the whole argument of a function or reduction
  unsigned factors = 0;
};

/// One use of an index that is neither on the left nor bound in brackets there.
struct IndexUse {
  enum Kind { Factor, Number, Divisor, Parenthesis, Condition };
  IndexId index;
  SMLoc place;
  int term;
  const Expr *expr; // the factor that uses it
  Kind kind;
};

/// Checks that the rule says without doubt over which term each index is summed. Reports one error for each index that
/// fails, showing every use and offering `sum[j](..)` for each reading; returns whether there was none.
bool checkSums(const std::vector<Term> &terms, const std::vector<IndexUse> &uses, const std::vector<Index> &indices,
               Diagnostics &diagnostics);

} // namespace plc::language

#endif

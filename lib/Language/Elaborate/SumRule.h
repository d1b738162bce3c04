//===- SumRule.h - where an index that is not on the left is summed -*- C++ -*-===//
//
// An index is summed over the smallest term that holds all its uses in a summand. A term is a maximal chain of `*`, `/`
// and sign, an `if`, or what stands in the parentheses of a function. The places are found in the text, before anything
// is resolved: how a call is inlined depends on which indices its arguments keep.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_SUMRULE_H
#define PLC_LIB_LANGUAGE_ELABORATE_SUMRULE_H

#include "Emit/Program.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// The indices that are summed over a chain or an `if`.
using SumPlaces = llvm::DenseMap<const Expr *, llvm::SmallVector<IndexId, 2>>;

/// What the sum rule asks of a rule's scope.
class IndexNames {
public:
  virtual ~IndexNames() = default;
  /// The index that a name is where a number is wanted or in index brackets; none if it is something else.
  virtual std::optional<IndexId> indexOf(StringRef name) const = 0;
  /// The indices of one `...`.
  virtual llvm::SmallVector<IndexId, 4> ellipsis() const = 0;
  /// Whether the result of `f[i](..)` has the axis that the bracket `position` binds.
  virtual bool keeps(const Expr &call, size_t position) const = 0;
  /// Whether a call is one of expressions with indices; another is an error that is told when it is resolved.
  virtual bool takesIndices(const Expr &call) const = 0;
};

/// Finds the places in a right side. Of an index for which the text says none, reports an error that offers
/// `sum[j](..)`, and takes the term around it, so that what else is wrong is found too.
/// Returns whether there was no error.
bool placeSums(const Expr &value, const IndexNames &names, const std::vector<Index> &indices, SumPlaces &places,
               Diagnostics &diagnostics);

} // namespace plc::language

#endif

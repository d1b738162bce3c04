//===- SumRule.h - where indices are summed ---------------------*- C++ -*-===//
//
// An index that the left side lacks is summed over the smallest term that holds all its uses in a summand. A term is a
// maximal chain of `*`, `/` and sign, an `if`, or the argument of a function. The sums are placed in the text, before
// anything is resolved: how a call is inlined depends on which indices its arguments keep.
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
using SumLocations = llvm::DenseMap<const Expr *, llvm::SmallVector<IndexId, 2>>;

/// Queries of the sum rule to a rule's scope.
class IndexNames {
public:
  virtual ~IndexNames() = default;
  /// The index that a name is, as a number or in index brackets; nullopt if it is something else.
  virtual std::optional<IndexId> indexOf(StringRef name) const = 0;
  /// The indices that one `...` stands for.
  virtual llvm::SmallVector<IndexId, 4> ellipsis() const = 0;
  /// Whether the result of `f[i](..)` has the axis that the bracket `position` binds.
  virtual bool keeps(const Expr &call, size_t position) const = 0;
  /// Whether a call takes expressions with indices. Otherwise it is an error that is reported when it is resolved.
  virtual bool takesIndices(const Expr &call) const = 0;
};

/// Finds the terms to sum over in a right side. If the text does not decide for an index, reports an error that offers
/// `sum[j](..)`, and takes the term around it, so that other errors are found, too. Returns whether there was no error.
/// `clause`, if there is one, is how the text writes a clause that does not add, as `max=`: it takes a tensor as a
/// function does.
bool placeSums(const Expr &value, const IndexNames &names, const std::vector<Index> &indices, SumLocations &locations,
               Diagnostics &diagnostics, StringRef clause = "");

} // namespace plc::language

#endif

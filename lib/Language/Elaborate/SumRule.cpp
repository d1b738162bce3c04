//===- SumRule.cpp - where an index that is not on the left is summed -----===//
#include "SumRule.h"
#include "Builtins.h"
#include "Syntax/Signs.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace plc::language;
using llvm::ArrayRef;
using llvm::Twine;
using plc::Diagnostic;
using plc::Diagnostics;

namespace {
/// A use of an index in an expression.
struct Use {
  IndexId index;
  SMLoc location;
  bool ofTensor; // in a tensor's brackets; otherwise as a number
};
using Uses = llvm::SmallVector<Use, 4>; // one for each index, a tensor's if there is one

/// Descends from the right side to the smallest term that holds all uses of an index, for one index at a time.
class SumRule {
public:
  SumRule(const IndexNames &names, const std::vector<Index> &indices, SumLocations &locations, Diagnostics &diagnostics,
          StringRef clause)
      : names(names), indices(indices), locations(locations), diagnostics(diagnostics), clause(clause) {}

  bool run(const Expr &value) {
    for (const Use &use : usesOf(value))
      if (indices[use.index].left < 0)
        location(value, use.index, /*argument=*/!clause.empty());
    return ok;
  }

private:
  const Uses &usesOf(const Expr &expr);
  void addUse(Uses &uses, const Use &use) const;
  void addNames(Uses &uses, const Expr &position);
  const Use *find(const Expr &expr, IndexId index);
  bool usesDirectly(const Expr &factor, IndexId index) const;
  void location(const Expr &expr, IndexId index, bool argument);
  void placeInEach(ArrayRef<const Expr *> parts, IndexId index);
  void placeInChain(const Expr &chain, IndexId index, bool argument);
  void placeInAnd(const Expr &both, IndexId index);
  void placeInIf(const Expr &choice, IndexId index);
  void sumOver(const Expr &term, IndexId index);
  void refuse(const Expr &term, IndexId index, const Twine &reason);

  const IndexNames &names;
  const std::vector<Index> &indices;
  SumLocations &locations;
  Diagnostics &diagnostics;
  const StringRef clause;
  llvm::DenseMap<const Expr *, std::unique_ptr<Uses>> known;
  bool ok = true;
};
} // namespace

/// Keeps one use of each index. A use in brackets decides, since an index of numbers alone is refused.
void SumRule::addUse(Uses &uses, const Use &use) const {
  auto found = llvm::find_if(uses, [&](const Use &other) { return other.index == use.index; });
  if (found == uses.end())
    uses.push_back(use);
  else if (use.ofTensor && !found->ofTensor)
    *found = use;
}

/// Adds every index in a position of a tensor, also inside a position that a tensor holds.
void SumRule::addNames(Uses &uses, const Expr &position) {
  if (position.kind == Expr::Call) {
    for (const Use &use : usesOf(position)) // without what its brackets bind
      addUse(uses, {use.index, use.location, true});
    return;
  }
  if (position.kind == Expr::Name)
    if (std::optional<IndexId> index = names.indexOf(position.name))
      addUse(uses, {*index, position.location, true});
  for (const IndexEntry &entry : position.indices)
    if (entry.expr)
      addNames(uses, *entry.expr);
  for (const Expr *operand : position.operands)
    addNames(uses, *operand);
}

/// The indices that are free in an expression: not bound by brackets inside of it. Memoised, since each index asks.
const Uses &SumRule::usesOf(const Expr &expr) {
  std::unique_ptr<Uses> &slot = known[&expr];
  if (slot)
    return *slot;
  auto uses = std::make_unique<Uses>();
  llvm::SmallVector<IndexId, 4> bound;
  if (expr.kind == Expr::Name) {
    if (std::optional<IndexId> index = names.indexOf(expr.name))
      uses->push_back({*index, expr.location, false});
  } else if (expr.kind == Expr::Access) {
    for (const IndexEntry &entry : expr.indices) {
      if (entry.expr)
        addNames(*uses, *entry.expr);
      else
        for (IndexId index : names.ellipsis())
          addUse(*uses, {index, entry.location, true});
    }
  } else if (expr.kind == Expr::Call) {
    for (auto [position, entry] : llvm::enumerate(expr.indices)) {
      if (!entry.expr)
        bound.append(names.ellipsis());
      else if (std::optional<IndexId> index = names.indexOf(entry.expr->name)) {
        bound.push_back(*index);
        if (names.keeps(expr, position))
          addUse(*uses, {*index, expr.location, true});
      }
    }
  }
  bool isSize = expr.kind == Expr::Call && builtinOf(expr.name) == Builtin::Size;
  for (const Expr *operand : expr.operands)
    for (const Use &use : isSize ? Uses() : usesOf(*operand))
      if (!llvm::is_contained(bound, use.index))
        addUse(*uses, use);
  return *(known[&expr] = std::move(uses));
}

/// The use of an index in an expression; null if it has none.
const Use *SumRule::find(const Expr &expr, IndexId index) {
  for (const Use &use : usesOf(expr))
    if (use.index == index)
      return &use;
  return nullptr;
}

/// Whether the factor itself has the index, and not an expression in parentheses inside it.
bool SumRule::usesDirectly(const Expr &factor, IndexId index) const {
  if (factor.kind == Expr::Name || factor.kind == Expr::Access)
    return true;
  if (factor.kind == Expr::Call && builtinOf(factor.name) == Builtin::Pad) // the tensor, with more around it
    return true;
  return factor.kind == Expr::Call && llvm::any_of(factor.indices, [&](const IndexEntry &entry) {
           return entry.expr && names.indexOf(entry.expr->name) == index;
         });
}

/// Places the sum of an index inside an expression that holds all its uses: at first, the right side.
void SumRule::location(const Expr &expr, IndexId index, bool argument) {
  switch (expr.kind) {
  case Expr::Paren: return location(*expr.operands[0], index, argument);
  case Expr::And: return placeInAnd(expr, index);
  case Expr::Sum:
  case Expr::Compare:
  case Expr::Or:
  case Expr::Not: return placeInEach(expr.operands, index);
  case Expr::If: return placeInIf(expr, index);
  default: return placeInChain(expr, index, argument);
  }
}

/// Summands are summed separately, and so are the sides of a comparison.
void SumRule::placeInEach(ArrayRef<const Expr *> parts, IndexId index) {
  for (const Expr *part : parts)
    if (find(*part, index))
      location(*part, index, /*argument=*/false);
}

/// Several factors with the index: the sum is over the chain. One factor: over the chain if the factor has the index
/// itself, else inside of it.
void SumRule::placeInChain(const Expr &chain, IndexId index, bool argument) {
  const Expr &product = stripSigns(chain);
  llvm::SmallVector<const Expr *> factors, users;
  if (product.kind == Expr::Product)
    factors.assign(product.operands.begin(), product.operands.end());
  else
    factors = {&product};
  for (const Expr *&factor : factors) {
    factor = &stripSigns(*factor);
    if (find(*factor, index))
      users.push_back(factor);
  }
  if (users.size() > 1)
    return sumOver(chain, index);
  const Expr &user = *users[0];
  if (usesDirectly(user, index)) {
    // `exp(x[k])` is more often a forgotten index than a sum that is meant.
    if (argument && factors.size() == 1 && user.kind == Expr::Access)
      return refuse(chain, index,
                    clause.empty()
                        ? "its term is a single tensor directly under a function"
                        : "its term is a single tensor, under a function or in the clause of '" + clause.str() + "'");
    return sumOver(chain, index);
  }
  if (user.kind != Expr::Call && user.kind != Expr::Bits) // a bit operation sums as a function of its operands does
    return location(user, index, argument && factors.size() == 1);
  llvm::SmallVector<const Expr *> arguments;
  for (const Expr *operand : user.operands)
    if (find(*operand, index))
      arguments.push_back(operand);
  if (arguments.size() > 1)
    return sumOver(chain, index);
  location(*arguments[0], index, /*argument=*/user.kind == Expr::Bits || names.takesIndices(user));
}

/// "Each operand holds somewhere" is not "all hold somewhere", so an index in several operands is not summed.
void SumRule::placeInAnd(const Expr &both, IndexId index) {
  auto uses = [&](const Expr *operand) { return find(*operand, index) != nullptr; };
  if (llvm::count_if(both.operands, uses) > 1)
    return refuse(both, index, "it occurs in several operands of an 'and'");
  placeInEach(both.operands, index);
}

/// A branch is a term of its own, unless the condition has the index, too.
void SumRule::placeInIf(const Expr &choice, IndexId index) {
  ArrayRef<const Expr *> branches = ArrayRef(choice.operands).drop_front();
  if (!find(*choice.operands[0], index))
    return placeInEach(branches, index);
  if (llvm::any_of(branches, [&](const Expr *branch) { return find(*branch, index); }))
    return sumOver(choice, index);
  refuse(choice, index, "it occurs in a condition alone");
}

/// Sums over a term. `x[i] + k` is more often a mistake than a sum of numbers, so that is refused.
void SumRule::sumOver(const Expr &term, IndexId index) {
  if (!find(term, index)->ofTensor)
    return refuse(term, index, "it occurs in a term only as a number");
  locations[&term].push_back(index);
}

/// Reports an index that the rule does not place, with `sum[i](..)` as the remedy.
void SumRule::refuse(const Expr &term, IndexId index, const Twine &reason) {
  ok = false;
  locations[&term].push_back(index);
  StringRef name = indices[index].name;
  diagnostics
      .error(find(term, index)->location,
             "index '" + name + "' is neither on the left nor bound, and where to sum it is not clear: " + reason)
      .note(SMLoc::getFromPointer(term.text.begin()),
            "'sum[" + name + "](" + term.text.substr(0, 80) + (term.text.size() > 80 ? ".." : "") + ")' sums it here");
}

bool plc::language::placeSums(const Expr &value, const IndexNames &names, const std::vector<Index> &indices,
                              SumLocations &locations, Diagnostics &diagnostics, StringRef clause) {
  return SumRule(names, indices, locations, diagnostics, clause).run(value);
}

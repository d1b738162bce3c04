//===- SumRule.cpp - where an index that is not on the left is summed -----===//
#include "SumRule.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;
using plc::Diagnostics;

namespace {
class SumRule {
public:
  SumRule(const std::vector<Term> &terms, std::vector<const IndexUse *> uses, StringRef name, Diagnostics &diagnostics)
      : terms(terms), uses(std::move(uses)), name(name), diagnostics(diagnostics) {}

  bool check() {
    auto [bad, reason] = findDoubt();
    if (bad)
      report(*bad, reason);
    return !bad;
  }

private:
  std::pair<const IndexUse *, const char *> findDoubt() const;
  bool encloses(int outer, int inner) const;
  int commonTerm() const;
  void report(const IndexUse &bad, StringRef reason);

  const std::vector<Term> &terms;
  std::vector<const IndexUse *> uses;
  StringRef name;
  Diagnostics &diagnostics;
};
} // namespace

bool SumRule::encloses(int outer, int inner) const {
  for (int t = terms[inner].parent; t >= 0; t = terms[t].parent)
    if (t == outer)
      return true;
  return false;
}

std::pair<const IndexUse *, const char *> SumRule::findDoubt() const {
  // In these places a reader may take the sum to be inside as well as around the whole term, so none is assumed.
  for (const IndexUse *use : uses) {
    if (use->kind == IndexUse::Divisor)
      return {use, "it occurs in a divisor"};
    if (use->kind == IndexUse::Parenthesis)
      return {use, "it occurs in a parenthesised factor"};
    if (use->kind == IndexUse::Condition)
      return {use, "it occurs in a condition"};
  }
  llvm::DenseSet<int> used, summed;
  for (const IndexUse *use : uses) {
    used.insert(use->term);
    if (use->kind == IndexUse::Factor)
      summed.insert(use->term);
  }
  // If one use stands in a term inside the term of another, either term could be the one that is summed.
  for (const IndexUse *use : uses)
    for (int t = terms[use->term].parent; t >= 0; t = terms[t].parent)
      if (used.contains(t))
        return {use, "it occurs in nested terms"};
  // `x[i] + k` and `exp(x[k])` are more often a forgotten index than a sum that is meant, so the sum must be written.
  for (const IndexUse *use : uses) {
    if (!summed.contains(use->term))
      return {use, "it occurs in a term only as a number"};
    if (terms[use->term].underFunction && terms[use->term].factors == 1)
      return {use, "its term is a single tensor directly under a function"};
  }
  return {nullptr, ""};
}

/// The innermost term around all uses, or -1.
int SumRule::commonTerm() const {
  for (int t = uses.front()->term; t >= 0; t = terms[t].parent)
    if (llvm::all_of(uses, [&](const IndexUse *use) { return use->term == t || encloses(t, use->term); }))
      return t;
  return -1;
}

void SumRule::report(const IndexUse &bad, StringRef reason) {
  Diagnostic &error = diagnostics.error(
      bad.place, "index '" + name + "' is neither on the left nor bound, and where to sum it is not clear: " + reason);
  constexpr size_t limit = 16; // of notes of a kind
  for (const IndexUse *use : llvm::ArrayRef(uses).take_front(limit))
    if (use != &bad)
      error.note(use->place, "'" + name + "' is used here too");
  // The readings: all together, each term, each factor alone.
  // Two readings may be the same text, because parentheses are dropped; it is offered once.
  std::vector<const Expr *> readings;
  auto add = [&](const Expr *expr) {
    while (expr->kind == Expr::Paren)
      expr = expr->operands[0];
    if (llvm::none_of(readings, [&](const Expr *other) {
          return other->text.begin() == expr->text.begin() && other->text.size() == expr->text.size();
        }))
      readings.push_back(expr);
  };
  if (int common = commonTerm(); common >= 0)
    add(terms[common].expr);
  for (const IndexUse *use : llvm::ArrayRef(uses).take_front(limit))
    add(terms[use->term].expr);
  for (const IndexUse *use : llvm::ArrayRef(uses).take_front(limit))
    add(use->expr);
  for (const Expr *expr : readings) {
    bool clipped = expr->text.size() > 80;
    error.note(SMLoc::getFromPointer(expr->text.begin()),
               "one reading is 'sum[" + name + "](" + expr->text.substr(0, 80) + (clipped ? ".." : "") + ")'");
  }
}

bool plc::language::checkSums(const std::vector<Term> &terms, const std::vector<IndexUse> &uses,
                              const std::vector<Index> &indices, Diagnostics &diagnostics) {
  std::vector<std::vector<const IndexUse *>> byIndex(indices.size());
  for (const IndexUse &use : uses)
    byIndex[use.index].push_back(&use);
  bool ok = true;
  for (auto [index, own] : llvm::zip(indices, byIndex))
    if (!own.empty())
      ok &= SumRule(terms, std::move(own), index.name, diagnostics).check();
  return ok;
}

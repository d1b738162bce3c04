//===- AffineIndices.cpp - left sides that split an axis ------------------===//
//
// `y[K*i + p] = ..` with `p` from 0 to K - 1 defines each element of an axis once: several indices count the axis. The
// coefficients give all extents. That of an index is the next larger coefficient divided by its own; that of the
// slowest index is the axis divided by its coefficient. On the right, `x[K*i + p]` gives extents in the same way where
// nothing else does (ElaborateWindows.cpp).
//
//===----------------------------------------------------------------------===//
#include "RuleBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

bool RuleBuilder::refuseAffine(const Expr &expr, const Twine &why) {
  diagnostics.error(expr.location,
                    "'" + expr.clipped() + "' " + why +
                        "; a position is a sum of integers times indices, or what a tensor of integers holds");
  return false;
}

bool plc::language::readsTensor(const Expr &expr, const Scope &scope) {
  if (isSizeCall(expr))
    return false;
  if (expr.kind == Expr::Access || (expr.kind == Expr::Name && scope.find(expr.name)))
    return true;
  if (expr.kind == Expr::Bits || llvm::any_of(expr.operators, isRounding))
    return true;
  return llvm::any_of(expr.operands, [&](const Expr *operand) { return readsTensor(*operand, scope); });
}

/// Whether an expression contains an index. Sizes and indices of a `repeat` are numbers.
static bool namesIndex(const Expr &expr, const Sizes &sizes) {
  if (isSizeCall(expr))
    return false;
  if (expr.kind == Expr::Name)
    return !isSizeName(expr.name) && !sizes.find(expr.name);
  return llvm::any_of(expr.operands, [&](const Expr *operand) { return namesIndex(*operand, sizes); });
}

/// Adds the terms of `factor * expr` and its constant. False, after an error, if the expression is not affine.
bool RuleBuilder::addTerms(const Expr &expr, int64_t factor, bool written, std::vector<AffineTerm> &terms,
                           int64_t &constant) {
  if (expr.kind == Expr::Name && isSizeName(expr.name) && !scope.sizes.find(expr.name)) {
    diagnostics.error(expr.location,
                      "'" + expr.name + "' is no known size, and an index starts with a lower-case letter");
    return false;
  }
  if (expr.kind == Expr::Whole)
    return refuseAffine(expr, "is a whole axis, for tensors on the right of rules without indices");
  if (!namesIndex(expr, scope.sizes) && (expr.kind != Expr::Call || isSizeCall(expr)) && expr.kind != Expr::If &&
      expr.kind != Expr::Compare) {
    std::optional<int64_t> value = scope.sizes.evaluate(expr);
    int64_t scaled;
    if (!value)
      return false;
    if (llvm::MulOverflow(*value, factor, scaled) || llvm::AddOverflow(constant, scaled, constant))
      return refuseAffine(expr, "has a constant beyond 2^63");
    return true;
  }
  switch (expr.kind) {
  case Expr::Name: terms.push_back({expr.name, expr.location, factor, written}); return true;
  case Expr::Paren: return addTerms(*expr.operands[0], factor, written, terms, constant);
  case Expr::Negate: return addTerms(*expr.operands[0], -factor, true, terms, constant);
  case Expr::Sum: {
    bool ok = true;
    for (auto [operand, sign] : llvm::zip(expr.operands, expr.operators))
      ok = ok && addTerms(*operand, sign == BinaryOp::Sub ? -factor : factor, written, terms, constant);
    return ok;
  }
  case Expr::Product: return addProduct(expr, factor, terms, constant);
  default: return refuseAffine(expr, "is not affine in indices");
  }
}

/// A product is affine if one operand at most has indices; the others are sizes.
bool RuleBuilder::addProduct(const Expr &expr, int64_t factor, std::vector<AffineTerm> &terms, int64_t &constant) {
  Expr sizes = expr;
  const Expr *indexed = nullptr;
  for (size_t i = expr.operands.size(); i-- > 0;) {
    if (!namesIndex(*expr.operands[i], scope.sizes))
      continue;
    bool divided =
        expr.operators[i] != BinaryOp::Mul || (i + 1 < expr.operators.size() && expr.operators[i + 1] != BinaryOp::Mul);
    if (indexed || divided)
      return refuseAffine(expr, "is not affine in indices");
    indexed = expr.operands[i];
    sizes.operands.erase(sizes.operands.begin() + i);
    sizes.operators.erase(sizes.operators.begin() + i);
  }
  std::optional<int64_t> coefficient = scope.sizes.evaluate(sizes);
  if (!coefficient)
    return false;
  if (llvm::MulOverflow(*coefficient, factor, *coefficient))
    return refuseAffine(expr, "has a coefficient beyond 2^63");
  return addTerms(*indexed, *coefficient, true, terms, constant);
}

/// Sorts terms by coefficient, the largest first. Of equal ones the one written first, and one with a written
/// coefficient, counts more slowly: `K*i + p` where K is 1.
void RuleBuilder::sortTerms(std::vector<AffineTerm> &terms) {
  auto slower = [](const AffineTerm &a, const AffineTerm &b) {
    return std::make_pair(a.coefficient, a.written) > std::make_pair(b.coefficient, b.written);
  };
  std::vector<AffineTerm> ordered;
  for (const AffineTerm &term : terms)
    ordered.insert(llvm::upper_bound(ordered, term, slower), term);
  terms = std::move(ordered);
}

/// Whether `fast` may count inside one step of `slow`.
bool RuleBuilder::divides(const AffineTerm &slow, const AffineTerm &fast) {
  return slow.coefficient % fast.coefficient == 0 && (slow.coefficient != fast.coefficient || slow.written);
}

/// Whether the indices can count consecutive elements once each, given the extents that are known.
bool RuleBuilder::countsOnce(const Affine &affine) const {
  std::vector<AffineTerm> terms = affine.terms;
  if (terms.size() != affine.indices.size() ||
      llvm::any_of(terms, [](const AffineTerm &term) { return term.coefficient <= 0; }))
    return false;
  sortTerms(terms);
  for (size_t i = 1; i < terms.size(); ++i) {
    int64_t extent = (*indices)[*indexOf(terms[i].name)].extent;
    if (!divides(terms[i - 1], terms[i]) || (extent && extent * terms[i].coefficient != terms[i - 1].coefficient))
      return false;
  }
  return terms.back().coefficient == 1;
}

/// Whether a position has an offset: `C + c`, or `0 + c`.
static bool isPart(const Expr &expr, const Sizes &sizes) {
  auto isOffset = [&](const Expr *operand) { return !namesIndex(*operand, sizes); };
  return expr.kind == Expr::Sum && namesIndex(expr, sizes) && llvm::any_of(expr.operands, isOffset);
}

/// Whether `partOf` handles a left side with this position. Others scatter.
bool RuleBuilder::isPartOrSplit(const Affine &affine) const {
  bool begins = affine.start == 0 || (affine.start > 0 && isPart(*affine.expr, scope.sizes));
  return !affine.constant && begins && countsOnce(affine);
}

/// Whether any rule of the name has an offset in this axis. Then all rules define slices of it; one without an offset
/// begins at 0.
static bool hasParts(const std::vector<Statement *> &statements, const Declarator &left, size_t axis,
                     const Sizes &sizes) {
  return llvm::any_of(statements, [&](const Statement *statement) {
    const std::vector<Declarator> &others = statement->lefts;
    bool same = statement->kind == Statement::Rule && others.size() == 1 && others[0].name == left.name &&
                others[0].axes.size() == left.axes.size() && others[0].axes[axis].expr;
    return (same && isPart(*others[0].axes[axis].expr, sizes)) || hasParts(statement->body, left, axis, sizes);
  });
}

/// Gives axes without an offset the offset 0, where other rules of the name have one.
void RuleBuilder::markParts(const Declarator &left) {
  if (leftAxes.size() != left.axes.size())
    return; // over '...'
  for (auto [axis, own] : llvm::enumerate(leftAxes))
    if (!own.offset && left.axes[axis].expr && hasParts(scope.function.body, left, axis, scope.sizes)) {
      own.offset = 0;
      own.expr = left.axes[axis].expr;
    }
}

/// The affine form of a position; nullopt after an error. An index that occurs twice has one stride.
std::optional<RuleBuilder::Affine> RuleBuilder::affineOf(const Expr &expr) {
  Affine affine;
  affine.expr = &expr;
  if (!addTerms(expr, 1, false, affine.terms, affine.start))
    return std::nullopt;
  if (affine.terms.empty()) {
    affine.constant = std::exchange(affine.start, 0);
    return affine;
  }
  // The slowest index comes first, so that an axis is split in order.
  std::vector<AffineTerm> ordered = affine.terms;
  sortTerms(ordered);
  for (const AffineTerm &term : ordered) {
    IndexId id = indexNamed(term.name);
    auto known = llvm::find(affine.indices, id);
    if (known != affine.indices.end()) {
      int64_t &stride = affine.strides[known - affine.indices.begin()];
      if (llvm::AddOverflow(stride, term.coefficient, stride))
        return refuseAffine(expr, "has a coefficient beyond 2^63"), std::nullopt;
      continue;
    }
    affine.indices.push_back(id);
    affine.locations.push_back(term.location);
    affine.strides.push_back(term.coefficient);
  }
  for (auto [id, stride] : llvm::zip(affine.indices, affine.strides))
    if (stride == 0)
      return refuseAffine(expr, "counts '" + (*indices)[id].name + "' by 0"), std::nullopt;
  return affine;
}

/// A left side that splits an axis or gives a slice of it. `scatters` has read the position before.
std::optional<RuleBuilder::Affine> RuleBuilder::partOf(const Expr &expr) {
  Affine affine = affines.at(&expr);
  int64_t start = std::exchange(affine.start, 0);
  if (isPart(expr, scope.sizes))
    affine.offset = start;
  return setParts(affine) ? std::optional(affine) : std::nullopt;
}

/// Sets the indices of a full split, slowest first, and the extents that the coefficients give.
bool RuleBuilder::setParts(Affine &affine) {
  std::vector<AffineTerm> ordered = affine.terms;
  sortTerms(ordered);
  affine.inner = ordered[0].coefficient;
  affine.indices.clear();
  affine.locations.clear();
  affine.strides.clear();
  bool ok = true;
  for (size_t i = 0; i < ordered.size(); ++i) {
    affine.indices.push_back(indexNamed(ordered[i].name));
    affine.locations.push_back(ordered[i].location);
    if (i > 0)
      ok &= setExtent(affine.indices[i], {ordered[i - 1].coefficient / ordered[i].coefficient, ordered[i].location},
                      ordered[i].location, "'" + affine.expr->clipped() + "'");
  }
  return ok;
}

/// Sets the extent of the slowest index, from the whole axis.
bool RuleBuilder::setAxis(const Affine &affine, Axis axis, const Twine &owner) {
  const Expr &expr = *affine.expr;
  if (axis.extent % affine.inner != 0) {
    diagnostics
        .error(expr.location, "'" + expr.clipped() + "' splits " + owner + " into parts of " + Twine(affine.inner) +
                                  ", but its axis has extent " + Twine(axis.extent))
        .note(axis.location, "extent " + Twine(axis.extent) + " is from here");
    badIndices = true;
    return false;
  }
  return setExtent(affine.indices[0], {axis.extent / affine.inner, axis.location}, expr.location,
                   "'" + expr.clipped() + "' of " + owner);
}

/// Reports a constant position outside of its axis.
bool RuleBuilder::checkConstant(int64_t constant, const Expr &expr, const Axis &axis, StringRef tensor,
                                const Reading *reading) {
  if (constant >= 0 && constant < axis.extent)
    return true;
  Diagnostic &error = diagnostics.error(expr.location, "index " + Twine(constant) + " is outside '" + tensor +
                                                           "', whose axis has extent " + Twine(axis.extent));
  error.note(axis.location, "extent " + Twine(axis.extent) + " is from here");
  if (reading)
    noteMissing(error, *reading);
  return false;
}

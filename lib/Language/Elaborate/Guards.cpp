//===- Guards.cpp - reads that a condition guards -------------------------===//
//
// `if i > 0 then a[i - 1] else 0`: the branch that is not taken reads nothing. Of positions that are affine in indices
// the conditions around them must show that they stay inside; they are then read as `pad(..)` reads, without a select.
// Of computed positions nothing is known, so where the branch is not taken position 0 is read in place of theirs, which
// every axis has. A condition goes along into the fns that its branch calls.
//
//===----------------------------------------------------------------------===//
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "llvm/Support/MathExtras.h"

using namespace plc::language;
using llvm::Twine;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerRelation;
using mlir::presburger::PresburgerSpace;
using plc::Diagnostic;

/// Collects the indices of an `if`. What is read in a branch is read under its condition.
bool RuleBuilder::collectIf(const Expr &expr) {
  bool ok = collect(*expr.operands[0]);
  for (bool holds : {true, false}) {
    branches.push_back({expr.operands[0], holds});
    ok &= collect(*expr.operands[holds ? 1 : 2]);
    branches.pop_back();
  }
  return ok;
}

//===-- Affine positions -----------------------------------------------------===//

/// Adds `factor * expr` to a row: a coefficient for each index of the rule, then the constant. False if the expression
/// is not linear in indices.
bool RuleBuilder::addLinear(const Expr &expr, int64_t factor, llvm::MutableArrayRef<int64_t> row) const {
  auto add = [&](size_t column, int64_t value) {
    int64_t scaled;
    return !llvm::MulOverflow(value, factor, scaled) && !llvm::AddOverflow(row[column], scaled, row[column]);
  };
  switch (expr.kind) {
  case Expr::Number: {
    int64_t value;
    return !expr.text.getAsInteger(10, value) && add(row.size() - 1, value);
  }
  case Expr::Name: {
    if (std::optional<IndexId> index = indexOf(expr.name))
      return add(*index, 1);
    const Size *size = scope.find(expr.name) ? nullptr : scope.sizes.find(expr.name);
    scope.dependsOnIteration |= scope.rolled.contains(expr.name);
    return size && size->value && add(row.size() - 1, *size->value);
  }
  case Expr::Paren: return addLinear(*expr.operands[0], factor, row);
  case Expr::Negate: return factor != INT64_MIN && addLinear(*expr.operands[0], -factor, row);
  case Expr::Sum:
    return factor != INT64_MIN && llvm::all_of(llvm::zip(expr.operands, expr.operators), [&](auto summand) {
             auto [operand, sign] = summand;
             return addLinear(*operand, sign == BinaryOp::Sub ? -factor : factor, row);
           });
  case Expr::Product: return addLinearProduct(expr, factor, row);
  case Expr::Call: {
    std::optional<IndexId> index = isSizeCall(expr) ? indexOf(expr.operands[0]->name) : std::nullopt;
    return index && (*indices)[*index].extent && add(row.size() - 1, (*indices)[*index].extent);
  }
  default: return false;
  }
}

/// A product of integers and at most one factor with indices; `//` and `%` of integers.
bool RuleBuilder::addLinearProduct(const Expr &expr, int64_t factor, llvm::MutableArrayRef<int64_t> row) const {
  llvm::SmallVector<int64_t> product(row.size(), 0);
  product.back() = 1;
  for (auto [operand, op] : llvm::zip(expr.operands, expr.operators)) {
    llvm::SmallVector<int64_t> next(row.size(), 0);
    if (!addLinear(*operand, 1, next))
      return false;
    auto isNumber = [](llvm::ArrayRef<int64_t> values) {
      return llvm::all_of(values.drop_back(), [](int64_t coefficient) { return coefficient == 0; });
    };
    if (!isNumber(product))
      std::swap(product, next); // the number, if one is, is now `product`
    int64_t number = product.back();
    if (!isNumber(product) || (op != BinaryOp::Mul && (!isNumber(next) || next.back() <= 0)))
      return false;
    if (op == BinaryOp::Mul) {
      for (int64_t &coefficient : next)
        if (llvm::MulOverflow(coefficient, number, coefficient))
          return false;
      product = std::move(next);
      continue;
    }
    int64_t rest = llvm::mod(number, next.back());
    if (op == BinaryOp::Div && rest)
      return false;
    product.back() = op == BinaryOp::Mod ? rest : (number - rest) / next.back();
  }
  return llvm::all_of(llvm::enumerate(product), [&](auto column) {
    int64_t scaled;
    return !llvm::MulOverflow(column.value(), factor, scaled) &&
           !llvm::AddOverflow(row[column.index()], scaled, row[column.index()]);
  });
}

/// The points of the rule's indices where a comparison of linear expressions holds, or does not. All points if it is
/// another one.
PresburgerRelation RuleBuilder::comparisonFacts(const Expr &compare, bool holds) const {
  PresburgerSpace space = PresburgerSpace::getSetSpace(indices->size());
  llvm::SmallVector<int64_t> difference(indices->size() + 1, 0); // left - right
  if (!addLinear(*compare.operands[0], 1, difference) || !addLinear(*compare.operands[1], -1, difference))
    return PresburgerRelation::getUniverse(space);
  // sign * difference + constant >= 0
  auto half = [&](int64_t sign, int64_t constant) {
    llvm::SmallVector<int64_t> row(difference);
    for (int64_t &value : row)
      value *= sign;
    row.back() += constant;
    IntegerPolyhedron points(space);
    points.addInequality(row);
    return PresburgerRelation(points);
  };
  StringRef op = compare.name;
  if (op == "==" || op == "!=")
    return (op == "==") == holds ? half(1, 0).intersect(half(-1, 0)) : half(1, -1).unionSet(half(-1, -1));
  bool isLess = op.front() == '<', orEqual = op.size() == 2;
  if (!holds) // a < b is not a >= b
    isLess = !isLess, orEqual = !orEqual;
  return half(isLess ? -1 : 1, orEqual ? 0 : -1);
}

/// The points where a condition holds, or does not; a superset of them where it is not of linear comparisons alone.
PresburgerRelation RuleBuilder::factsOf(const Expr &condition, bool holds) const {
  PresburgerSpace space = PresburgerSpace::getSetSpace(indices->size());
  switch (condition.kind) {
  case Expr::Paren: return factsOf(*condition.operands[0], holds);
  case Expr::Not: return factsOf(*condition.operands[0], !holds);
  case Expr::Compare: return comparisonFacts(condition, holds);
  case Expr::And:
  case Expr::Or: break;
  default: return PresburgerRelation::getUniverse(space);
  }
  // Not tuned: the conditions of a rule have a few cases. With more, less is known.
  constexpr unsigned mostCases = 64;
  bool all = (condition.kind == Expr::And) == holds;
  PresburgerRelation points = all ? PresburgerRelation::getUniverse(space) : PresburgerRelation::getEmpty(space);
  for (const Expr *operand : condition.operands) {
    PresburgerRelation next = factsOf(*operand, holds);
    if (all && points.getNumDisjuncts() * next.getNumDisjuncts() <= mostCases)
      points = points.intersect(next);
    else if (!all && points.getNumDisjuncts() + next.getNumDisjuncts() > mostCases)
      return PresburgerRelation::getUniverse(space);
    else if (!all)
      points.unionInPlace(next);
  }
  return points;
}

/// Whether the conditions around a read exclude positions below 0, and positions behind the axis.
std::pair<bool, bool> RuleBuilder::excludes(const Reading &reading) const {
  if (reading.branches.empty())
    return {false, false};
  IntegerPolyhedron domain(PresburgerSpace::getSetSpace(indices->size()));
  llvm::SmallVector<int64_t> position(indices->size() + 1, 0);
  for (auto [id, index] : llvm::enumerate(*indices)) {
    llvm::SmallVector<int64_t> row(indices->size() + 1, 0);
    row[id] = 1;
    domain.addInequality(row); // i >= 0
    row[id] = -1, row.back() = index.extent - 1;
    if (index.extent)
      domain.addInequality(row); // extent - 1 - i >= 0
  }
  PresburgerRelation points(domain);
  for (const Branch &branch : reading.branches)
    points = points.intersect(factsOf(*branch.condition, branch.holds));
  for (auto [id, stride] : llvm::zip(reading.affine->indices, reading.affine->strides))
    position[id] += stride;
  position.back() = reading.affine->start;
  auto isEmpty = [&](int64_t sign, int64_t constant) {
    llvm::SmallVector<int64_t> row(position);
    for (int64_t &value : row)
      value *= sign;
    row.back() += constant;
    IntegerPolyhedron outside(domain.getSpace());
    outside.addInequality(row);
    return points.intersect(PresburgerRelation(outside)).isIntegerEmpty();
  };
  return {isEmpty(-1, -1), isEmpty(1, -reading.axis.extent)};
}

/// Adds to an error what the conditions around a read leave out.
void RuleBuilder::noteMissing(Diagnostic &error, const Reading &reading) const {
  if (reading.branches.empty())
    return;
  auto [below, behind] = excludes(reading);
  std::string text = reading.affine->expr->text.substr(0, 60).str(), end = std::to_string(reading.axis.extent);
  SMLoc condition = SMLoc::getFromPointer(reading.branches.back().condition->text.begin());
  auto note = [&](const Twine &where, const Twine &lacks) {
    error.note(condition, "the branch of this condition is also taken where '" + text + "' is " + where + ": '" + text +
                              lacks + "' is missing");
  };
  if (!below)
    note("below 0", " >= 0");
  if (!behind)
    note(end + " or more", " < " + end);
}

//===-- Computed positions ---------------------------------------------------===//

/// The context of a rule's right side. In the body of an fn that is called in a branch, its condition holds; in a rule
/// without the axes of `...`, wherever it holds for one of them.
RuleBuilder::Context RuleBuilder::outermost() {
  Context context;
  if (!scope.guard || !scope.ellipsis || bare)
    return context;
  llvm::SmallVector<Node::Position, 4> entries;
  for (unsigned i = 0; i < scope.ellipsis->size(); ++i)
    entries.push_back({{ellipsisIndex(i)}});
  context.guard = guardOver(makeRead(*scope.guard, entries, leftLocation), left);
  return context;
}

/// The context of a branch. A condition of numbers alone that holds guards nothing.
RuleBuilder::Context RuleBuilder::within(const Context &outer, const Node *test, bool holds) {
  Context inner = outer;
  if (!test || constantCondition(*test) == holds)
    return inner;
  const Node *here = holds ? test : makeMap("not", test->location, {test});
  inner.guard = outer.guard ? makeMap("and", test->location, {outer.guard, here}) : here;
  return inner;
}

/// The context under a bracket that binds indices. The conditions around it may have other indices of these names.
RuleBuilder::Context RuleBuilder::hiding(const Context &outer, llvm::ArrayRef<IndexId> ids) {
  Context inner = outer;
  for (IndexId id : ids)
    if (outer.guard && llvm::is_contained(outer.guard->dims, id)) {
      inner.guard = nullptr;
      inner.hidden = id;
    }
  return inner;
}

/// Reports a read at a computed position whose condition has another index of the name of a bound one.
bool RuleBuilder::refuseHidden(SMLoc location, const Context &context) {
  StringRef name = (*indices)[*context.hidden].name;
  diagnostics.error(location, "index '" + name + "' is in the condition of the branch and bound again in it, so the " +
                                  "condition cannot guard this position; give the bound one another name");
  return false;
}

/// The condition over these indices alone: whether it holds for some value of the others. What is read there is the
/// same for all of them.
const Node *RuleBuilder::guardOver(const Node *guard, llvm::ArrayRef<IndexId> dims) {
  Node some;
  for (IndexId id : guard->dims)
    if (!llvm::is_contained(dims, id))
      some.summed.push_back(id);
  if (some.summed.empty())
    return guard;
  some.kind = Node::Reduce;
  some.location = guard->location;
  some.function = "any";
  some.element = Element::Bool;
  some.operands = {guard};
  llvm::sort(some.summed);
  return finish(std::move(some));
}

/// Guards the computed positions at which a branch reads: they are 0 where it is not taken. Those that stay inside
/// whatever is read need no condition.
bool RuleBuilder::guardPositions(llvm::MutableArrayRef<Node::Position> entries, llvm::ArrayRef<Axis> axes,
                                 const Context &context) {
  if (!context.guard && !context.hidden)
    return true;
  Node read;
  read.kind = Node::Read;
  read.positions.assign(entries.begin(), entries.end());
  setDims(read);
  for (auto [entry, axis] : llvm::zip(entries, axes)) {
    const Node *position = entry.gathered;
    if (!position)
      continue;
    if (Range range = Range::of(*position, *indices, body); range.least >= 0 && range.most < double(axis.extent))
      continue;
    if (context.hidden)
      return refuseHidden(position->location, context);
    const Node *guard = guardOver(context.guard, read.dims);
    entry.gathered = makeMap("select", position->location, {guard, position, makeNumber(0, position->location)});
  }
  return true;
}

/// Whether an expression reads a tensor at a position that is computed, or calls an fn that does.
static bool readsComputed(const Expr &expr, llvm::function_ref<bool(StringRef)> isTensor,
                          llvm::function_ref<bool(StringRef)> callReads) {
  auto reads = [&](const Expr *each) { return each && readsComputed(*each, isTensor, callReads); };
  auto isComputed = [&](const Expr &position, auto &&self) -> bool {
    return position.kind == Expr::Access || position.kind == Expr::Call || position.kind == Expr::Bits ||
           llvm::any_of(position.operators, isRounding) || (position.kind == Expr::Name && isTensor(position.name)) ||
           llvm::any_of(position.operands, [&](const Expr *each) { return self(*each, self); });
  };
  if (expr.kind == Expr::Access && llvm::any_of(expr.indices, [&](const IndexEntry &entry) {
        return entry.expr && isComputed(*entry.expr, isComputed);
      }))
    return true;
  return (expr.kind == Expr::Call && callReads(expr.name)) || llvm::any_of(expr.operands, reads);
}

/// Whether an fn, or one that it calls, reads at computed positions. One that does not needs no condition.
bool Elaborator::readsAtPositions(const Function &callee) {
  auto [known, isNew] = readsComputedPositions.try_emplace(&callee, false);
  if (!isNew)
    return known->second;
  auto isTensor = [&](StringRef name) {
    return llvm::any_of(callee.arguments, [&](const Declarator &argument) { return argument.name == name; });
  };
  auto callReads = [&](StringRef name) {
    const Function *inner = library.seenBy(callee).lookup(name);
    return inner && readsAtPositions(*inner);
  };
  auto visit = [&](const std::vector<Statement *> &statements, auto &&self) -> bool {
    return llvm::any_of(statements, [&](const Statement *statement) {
      return (statement->value && readsComputed(*statement->value, isTensor, callReads)) || self(statement->body, self);
    });
  };
  return readsComputedPositions[&callee] = visit(callee.body, visit);
}

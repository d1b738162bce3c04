//===- Resolve.cpp - expressions to nodes ---------------------------------===//
#include "Builtins.h"
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include "Syntax/Signs.h"
#include "plc/Support/Nearest.h"
#include <cmath>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;
using plc::Nearest;

const Node *RuleBuilder::resolve(const Expr &expr, const Context &context) {
  switch (expr.kind) {
  case Expr::Sum: return resolveSum(expr, context);
  case Expr::Paren: return resolve(*expr.operands[0], context);
  case Expr::Compare: return resolveCompare(expr, context);
  case Expr::And:
  case Expr::Or:
  case Expr::Not: return resolveLogic(expr, context);
  case Expr::If: return resolveIf(expr, context);
  default: return resolveTerm(expr, context);
  }
}

/// Numbers are folded in f64. Clauses of truth values are joined by 'or'.
const Node *RuleBuilder::resolveSum(const Expr &expr, const Context &context) {
  const Node *result = nullptr;
  bool ok = true;
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    bool minus = expr.operators[i] == BinaryOp::Sub;
    const Node *next = resolve(*expr.operands[i], context);
    // `+` of truth values is 'or'.
    if (next && next->element == Element::Bool && (minus || (result && result->element != Element::Bool)))
      next = wantNumber(next);
    else if (next && result && result->element == Element::Bool && next->element != Element::Bool)
      next = wantNumber(result);
    ok &= next != nullptr;
    if (!ok)
      continue;
    if (!result)
      result = next;
    else if (next->element == Element::Bool)
      result = makeMap("or", next->location, {result, next});
    else if (result->kind == Node::Number && next->kind == Node::Number)
      result = makeNumber(minus ? result->number - next->number : result->number + next->number, expr.location);
    else
      result = makeMap(minus ? "sub" : "add", SMLoc::getFromPointer(expr.operands[i]->text.begin()), {result, next});
    ok &= result != nullptr;
  }
  return ok ? result : nullptr;
}

const Node *RuleBuilder::resolveCompare(const Expr &expr, const Context &context) {
  const Node *left = resolve(*expr.operands[0], context);
  const Node *right = resolve(*expr.operands[1], context);
  if (expr.name != "==" && expr.name != "!=")
    for (const Node *side : {left, right})
      if (!wantNumber(side))
        return nullptr;
  StringRef function = llvm::StringSwitch<StringRef>(expr.name)
                           .Case("==", "eq")
                           .Case("!=", "ne")
                           .Case("<", "lt")
                           .Case("<=", "le")
                           .Case(">", "gt")
                           .Default("ge");
  const Node *map = makeMap(function, expr.location, {left, right});
  if (!map)
    return nullptr;
  Node node = *map;
  node.element = Element::Bool;
  return finish(std::move(node));
}

/// The value of a condition of numbers alone; nullopt for others.
std::optional<bool> plc::language::constantCondition(const Node &node) {
  if (node.kind != Node::Map)
    return std::nullopt;
  llvm::SmallVector<std::optional<bool>, 2> known;
  if (llvm::is_contained({"and", "or", "not"}, node.function)) {
    for (const Node *operand : node.operands)
      known.push_back(constantCondition(*operand));
    if (node.function == "not")
      return known[0] ? std::optional(!*known[0]) : std::nullopt;
    bool decides = node.function == "or";
    if (llvm::is_contained(known, std::optional(decides)))
      return decides;
    return llvm::is_contained(known, std::nullopt) ? std::nullopt : std::optional(!decides);
  }
  if (node.operands.size() != 2 || llvm::any_of(node.operands, [](auto *side) { return side->kind != Node::Number; }))
    return std::nullopt;
  double a = node.operands[0]->number, b = node.operands[1]->number;
  return llvm::StringSwitch<std::optional<bool>>(node.function)
      .Case("eq", a == b)
      .Case("ne", a != b)
      .Case("lt", a < b)
      .Case("le", a <= b)
      .Case("gt", a > b)
      .Case("ge", a >= b)
      .Default(std::nullopt);
}

/// Whether a reduction around the expression binds an index that the dropped side has and the kept one lacks. A flag
/// must not change which indices exist, so the side then stays.
bool RuleBuilder::bindsDropped(const Context &context, const Node &dropped, const Node &kept) const {
  return llvm::any_of(context.bound, [&](IndexId id) {
    return llvm::is_contained(dropped.dims, id) && !llvm::is_contained(kept.dims, id);
  });
}

/// A flag decides at compile time which sides of a condition remain.
const Node *RuleBuilder::resolveLogic(const Expr &expr, const Context &context) {
  const Node *result = nullptr;
  bool ok = true;
  for (const Expr *operand : expr.operands) {
    const Node *next = wantCondition(resolve(*operand, context));
    ok &= next != nullptr;
    if (!ok)
      continue;
    // `FLAG == 0 or t <= s` is one of its sides.
    if (result && expr.kind != Expr::Not) {
      bool decides = expr.kind == Expr::Or;
      std::optional<bool> first = constantCondition(*result), second = constantCondition(*next);
      if ((first == decides || second == !decides) && !bindsDropped(context, *next, *result))
        continue;
      if ((first == !decides || second == decides) && !bindsDropped(context, *result, *next)) {
        result = next;
        continue;
      }
    }
    if (expr.kind == Expr::Not)
      result = makeMap("not", expr.location, {next});
    else
      result = result ? makeMap(expr.kind == Expr::And ? "and" : "or", next->location, {result, next}) : next;
  }
  return ok ? result : nullptr;
}

/// A condition that is constant chooses its branch here; both branches have been checked.
const Node *RuleBuilder::resolveIf(const Expr &expr, const Context &context) {
  const Node *test = wantCondition(resolve(*expr.operands[0], context));
  const Node *yes = resolve(*expr.operands[1], within(context, test, true));
  const Node *no = resolve(*expr.operands[2], within(context, test, false));
  const Node *chosen = makeMap("select", expr.location, {test, yes, no});
  auto summed = sums.find(&expr);
  if (!chosen)
    return nullptr;
  if (std::optional<bool> known = constantCondition(*test); known && summed == sums.end()) {
    const Node *kept = *known ? yes : no;
    if (!bindsDropped(context, *chosen, *kept))
      return kept;
  }
  if (summed == sums.end())
    return chosen;
  Node node;
  node.kind = Node::Reduce;
  node.location = expr.location;
  node.function = chosen->element == Element::Bool ? "any" : "sum";
  node.element = chosen->element == Element::Number ? Element::Real : chosen->element;
  node.operands = {chosen};
  node.summed.assign(summed->second.begin(), summed->second.end());
  llvm::sort(node.summed);
  return finish(std::move(node));
}

/// A chain of factors, summed over the indices that the sum rule placed here.
const Node *RuleBuilder::resolveTerm(const Expr &expr, const Context &outer) {
  Context context = outer;
  context.term = &expr;
  bool sign = false;
  const Expr &chain = stripSigns(expr, sign);
  llvm::ArrayRef<const Expr *> factors = chain.operands;
  const Expr *only = &chain;
  if (chain.kind != Expr::Product)
    factors = only;

  Node node;
  node.kind = Node::Term;
  node.location = SMLoc::getFromPointer(expr.text.begin());
  bool ok = true;
  for (size_t i = 0; i < factors.size(); ++i) {
    BinaryOp op = chain.kind == Expr::Product ? chain.operators[i] : BinaryOp::Mul;
    bool negated = i == 0 && sign;
    const Expr &factor = stripSigns(*factors[i], negated);
    const Node *value = resolveFactor(factor, context);
    ok &= value != nullptr;
    // A sign before a number makes another constant, which needs no operation.
    if (value && value->kind == Node::Number && negated) {
      value = makeNumber(-value->number, value->location);
      negated = false;
    }
    node.operands.push_back(value);
    node.operators.push_back(op);
    node.negated.push_back(negated);
  }
  if (!ok || !checkFactors(node))
    return nullptr;
  if (llvm::all_of(node.operands, [](const Node *factor) { return factor->kind == Node::Number; }))
    return foldTerm(node, node.location);
  std::optional<Element> element = unify(node.operands, node.location);
  if (!element)
    return nullptr;
  node.element = *element;
  // Index positions are not summed.
  if (auto summed = sums.find(&expr); summed != sums.end() && !outer.inPosition)
    node.summed.assign(summed->second.begin(), summed->second.end());
  llvm::sort(node.summed);
  if (!node.summed.empty() && node.element == Element::Number)
    node.element = Element::Real;
  if (node.operands.size() == 1 && !node.negated[0] && node.summed.empty())
    return node.operands[0];
  return finish(std::move(node));
}

/// `//` and `%` are for integers, `/` is for reals. `*` of conditions is 'and', and conditions are no other factors.
bool RuleBuilder::checkFactors(const Node &term) {
  auto isBool = [](const Node *factor) { return factor->element == Element::Bool; };
  bool product =
      term.operands.size() > 1 && llvm::all_of(term.operators, [](BinaryOp op) { return op == BinaryOp::Mul; });
  if (product && llvm::all_of(term.operands, isBool) && !llvm::is_contained(term.negated, true))
    return true;
  for (auto [factor, negated] : llvm::zip(term.operands, term.negated))
    if ((term.operands.size() > 1 || negated) && !wantNumber(factor))
      return false;
  auto integer = llvm::find_if(term.operands, [](const Node *factor) { return isInteger(factor->element); });
  bool rounds = llvm::any_of(term.operators, isRounding);
  for (auto [factor, op] : llvm::zip(term.operands, term.operators)) {
    if (rounds && !isIntegral(*factor)) {
      diagnostics.error(factor->location,
                        "'//' and '%' are for integers, found " +
                            (factor->element == Element::Number ? "a number that is none" : nameOf(factor->element)) +
                            " in their term; use parentheses, or convert with 'i32(..)'");
      return false;
    }
    if (isRounding(op) && factor->kind == Node::Number && factor->number == 0) {
      diagnostics.error(factor->location, "division of an integer by 0");
      return false;
    }
    if (op == BinaryOp::Div && (rounds || integer != term.operands.end())) {
      StringRef found = rounds ? "an integer" : nameOf((*integer)->element);
      diagnostics.error(factor->location,
                        "'/' is for reals, found " + found + "; write '//' to round down, or convert with 'real(..)'");
      return false;
    }
  }
  return true;
}

/// A term of numbers and sizes is folded to a number.
const Node *RuleBuilder::foldTerm(const Node &term, SMLoc location) {
  double result = 1;
  for (size_t i = 0; i < term.operands.size(); ++i) {
    double value = term.negated[i] ? -term.operands[i]->number : term.operands[i]->number;
    switch (term.operators[i]) {
    case BinaryOp::Add:
    case BinaryOp::Sub: llvm_unreachable("an operator of sums in a term");
    case BinaryOp::Mul: result = i == 0 ? value : result * value; break;
    case BinaryOp::Div: result = result / value; break;
    case BinaryOp::FloorDiv: result = std::floor(result / value); break;
    case BinaryOp::Mod: result = result - std::floor(result / value) * value; break;
    default: llvm_unreachable("a bit operation in a term");
    }
  }
  return makeNumber(result, location);
}

const Node *RuleBuilder::resolveFactor(const Expr &expr, const Context &context) {
  switch (expr.kind) {
  case Expr::Number: {
    double value = INFINITY;
    if (expr.text != "inf")
      expr.text.getAsDouble(value);
    return makeNumber(value, expr.location);
  }
  case Expr::Name: return resolveName(expr, context);
  case Expr::Access: return resolveAccess(expr, context);
  case Expr::Call: return resolveCall(expr, context);
  case Expr::Bits: return resolveBits(expr, context);
  default: return resolve(expr, context); // in parentheses
  }
}

/// A chain of bit operations; of one operand, its complement. Numbers are folded.
const Node *RuleBuilder::resolveBits(const Expr &expr, const Context &context) {
  const Node *result = expr.operands.size() == 1 ? makeNumber(-1, expr.location) : nullptr;
  bool ok = true;
  for (auto [operand, op] : llvm::zip(expr.operands, expr.operators)) {
    const Node *next = resolve(*operand, context);
    if (next && !isIntegral(*next)) {
      std::string found = next->element == Element::Number ? "a number that is none" : nameOf(next->element).str();
      StringRef remedy = next->element == Element::Bool ? "; conditions have 'and', 'or', 'not' and '!='"
                         : op == BinaryOp::BitXor       ? "; convert with 'i32(..)'; a power is 'pow(a, b)'"
                                                        : "; convert with 'i32(..)'";
      diagnostics.error(next->location, "bit operations are for integers, found " + found + remedy);
      next = nullptr;
    }
    ok &= next != nullptr;
    if (!ok)
      continue;
    if (result && result->kind == Node::Number && next->kind == Node::Number) {
      std::optional<int64_t> folded = applyBits(op, int64_t(result->number), int64_t(next->number));
      if (!folded || std::abs(double(*folded)) > 9007199254740992.0) {
        diagnostics.error(next->location, "the number '" + expr.text.substr(0, 60) + "' is beyond 2^53");
        return nullptr;
      }
      result = makeNumber(double(*folded), expr.location);
    } else {
      result = result ? makeMap(bitFunctionOf(op), next->location, {result, next}) : next;
    }
    ok &= result != nullptr;
  }
  return ok ? result : nullptr;
}

/// An index hides a tensor, a tensor an index of a `repeat`, and that a size.
const Node *RuleBuilder::resolveName(const Expr &expr, const Context &context) {
  auto index = byName.find(expr.name);
  if (index != byName.end()) {
    Node node;
    node.kind = Node::Iota;
    node.location = expr.location;
    node.index = index->second;
    return finish(std::move(node));
  }
  if (const Binding *binding = scope.find(expr.name)) {
    if (binding->kind == Binding::Broken)
      return nullptr;
    if (binding->kind == Binding::Number)
      return makeNumber(binding->number, expr.location);
    if (!binding->view.axes.empty() && (!bare || left.size() != binding->view.axes.size()))
      return nullptr; // reported by the walk over indices
    llvm::SmallVector<Node::Position, 4> entries;
    for (unsigned i = 0; i < binding->view.axes.size(); ++i)
      entries.push_back({{left[i]}});
    return makeRead(binding->view, entries, expr.location);
  }
  if (scope.rolled.contains(expr.name)) {
    Node node;
    node.kind = Node::Iota;
    node.location = expr.location;
    node.function = expr.name;
    node.index = indexNamed(("#iteration " + expr.name).str());
    (*indices)[node.index].extent = scope.iterationCounts.lookup(expr.name);
    return finish(std::move(node));
  }
  if (const Size *size = scope.sizes.find(expr.name))
    return size->value ? makeNumber(static_cast<double>(*size->value), expr.location) : nullptr;
  std::string nearest = nearestName(expr.name);
  Diagnostic &error = diagnostics.error(expr.location, "unknown name '" + expr.name + "'" + nearest);
  noteCollected(error, expr.name);
  if (!isSizeName(expr.name) && nearest.empty())
    error.note(expr.location, "as an index it would occur only as a number: 'sum[" + expr.name + ": N](" +
                                  context.term->text.substr(0, 80) + ")' sums over it");
  return nullptr;
}

std::string RuleBuilder::nearestName(StringRef name) const {
  Nearest nearest(name);
  nearest.offerKeys(scope.names);
  scope.sizes.offer(nearest);
  return nearest.text();
}

/// `x[..]`: each entry is an index, an integer expression, or an affine position.
const Node *RuleBuilder::resolveAccess(const Expr &expr, const Context &context) {
  const Binding *binding = scope.find(expr.name);
  llvm::SmallVector<Node::Position, 4> entries;
  bool ok = true, guarded = false;
  unsigned whole = 0;
  for (const IndexEntry &entry : expr.indices) {
    if (entry.expr && entry.expr->kind == Expr::Whole) {
      ok &= whole < left.size();
      entries.push_back({{ok ? left[whole++] : 0}});
    } else if (entry.isEllipsis()) {
      for (unsigned i = 0; scope.ellipsis && i < scope.ellipsis->size(); ++i)
        entries.push_back({{ellipsisIndex(i)}});
    } else if (isPlainIndex(*entry.expr)) {
      entries.push_back({{indexNamed(entry.expr->name)}});
    } else if (readsTensor(*entry.expr, scope)) {
      const Node *position = resolveGathered(*entry.expr, context);
      ok &= position != nullptr;
      bool known = binding && binding->kind == Binding::Tensor && entries.size() < binding->view.axes.size();
      if (position && position->kind == Node::Number) {
        auto constant = static_cast<int64_t>(position->number);
        ok &= !known || checkConstant(constant, *entry.expr, binding->view.axes[entries.size()], expr.name);
        entries.push_back({{}, constant});
      } else {
        entries.push_back({{}, {}, position});
      }
    } else if (auto affine = affines.find(entry.expr); affine != affines.end()) {
      const Affine &found = affine->second;
      guarded |= found.guarded;
      entries.push_back({found.indices, found.constant, nullptr, found.strides, found.start});
    } else {
      entries.emplace_back(); // reported by the walk over indices
      ok = false;
    }
  }
  if (!binding) {
    std::string nearest = nearestName(expr.name);
    noteCollected(diagnostics.error(expr.location, "unknown tensor '" + expr.name + "'" + nearest), expr.name);
    return nullptr;
  }
  if (binding->kind == Binding::Broken)
    return nullptr;
  if (binding->kind == Binding::Number) {
    diagnostics.error(expr.location, "'" + expr.name + "' is a number, it has no indices")
        .note(binding->location, "defined here");
    return nullptr;
  }
  if (entries.size() != binding->view.axes.size()) {
    diagnostics
        .error(expr.location, "'" + expr.name + "' has " + Twine(entries.size()) + " indices here but rank " +
                                  Twine(binding->view.axes.size()))
        .note(binding->location, "'" + expr.name + "' is defined here");
    return nullptr;
  }
  if (!ok || !guardPositions(entries, binding->view.axes, context))
    return nullptr;
  const Node *read = makeRead(binding->view, entries, expr.location);
  if (!guarded)
    return read;
  // Outside, where no branch takes it, the kernel reads nothing either: 0 stands there, as in `pad`.
  Node padded = *read;
  padded.padding = 0;
  return finish(std::move(padded));
}

/// An integer expression in an index position that is no index.
const Node *RuleBuilder::resolveGathered(const Expr &expr, const Context &outer) {
  Context context = outer;
  context.inPosition = true;
  const Node *node = resolve(expr, context);
  if (!node || isIntegral(*node))
    return node;
  diagnostics.error(expr.location, "found " +
                                       (node->element == Element::Number ? "a number that is no integer"
                                                                         : "a tensor of " + nameOf(node->element)) +
                                       " in an index position, expected i32 or i64");
  return nullptr;
}

//===- Expr.cpp - expressions over indices --------------------------------===//
#include "Rules/Expr.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace plc;
using namespace plc::import;

Affine Affine::operator+(const Affine &other) const {
  Affine sum = *this;
  sum.constant += other.constant;
  for (auto [index, factor] : other.factors) {
    auto same =
        std::find_if(sum.factors.begin(), sum.factors.end(), [&](const auto &each) { return each.first == index; });
    if (same == sum.factors.end())
      sum.factors.push_back({index, factor});
    else if (!(same->second += factor))
      sum.factors.erase(same);
  }
  sum.isFirstPart = false;
  sum.end = sum.end && other.end ? nullptr : sum.end ? sum.end : other.end;
  return sum;
}

Affine Affine::operator*(int64_t factor) const {
  Affine product(constant * factor, factor == 1 ? end : nullptr);
  if (factor)
    for (auto [index, each] : factors)
      product.factors.push_back({index, each * factor});
  return product;
}

const Var *Affine::single() const {
  return !isFirstPart && constant == 0 && factors.size() == 1 && factors[0].second == 1 ? factors[0].first : nullptr;
}

Affine plc::import::join(const Terms &digits, const Axis &leaves) {
  Affine number;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].computed)
      throw Misaligned("a computed position on an axis that a view merges");
    number = i == 0 ? digits[i].affine : number * leaves[i]->extent + digits[i].affine;
  }
  return number;
}

bool plc::import::isMinusInfinity(E e) { return e->kind == Expr::Number && e->number < -1e30; }

E Exprs::number(double value, ElementType type) {
  return make(
      {.kind = Expr::Number, .number = value < -1e30 ? -std::numeric_limits<double>::infinity() : value, .type = type});
}

E Exprs::infinity() { return number(-std::numeric_limits<double>::infinity()); }

E Exprs::real(E e) {
  bool isReal = e->kind == Expr::Real || (e->kind == Expr::Number && e->type != ElementType::Bool);
  return isReal ? e : make({.kind = Expr::Real, .arguments = {e}});
}

E Exprs::integer(E e) { return e->kind == Expr::Call && e->op == Op::ToInteger ? e : call(Op::ToInteger, {e}); }

E Exprs::sum(Op op, E a, E b) {
  auto isZero = [](E e) { return e->isNumber(0) || (e->kind == Expr::Position && e->affine == Affine()); };
  if (isZero(b))
    return a;
  if (isZero(a) && op == Op::Add)
    return b;
  bool isWhole = b->kind == Expr::Number && b->number == std::floor(b->number) && std::fabs(b->number) < 1e9;
  if (a->kind == Expr::Position && (b->kind == Expr::Position || isWhole))
    return position(a->affine +
                    (b->kind == Expr::Position ? b->affine : Affine(int64_t(b->number))) * (op == Op::Add ? 1 : -1));
  if (op != Op::Add)
    return infix(op, a, b);
  // An additive mask is a condition.
  for (auto [x, mask] : {std::pair(a, b), std::pair(b, a)})
    if (mask->kind == Expr::If && isMinusInfinity(mask->arguments[2]))
      return choice(mask->arguments[0], sum(Op::Add, mask->arguments[1], x), infinity());
  bool isCarried = b->kind == Expr::Read && !b->key.node->is(OpClass::Leaf) && a->kind != Expr::Read;
  return isCarried ? infix(op, b, a) : infix(op, a, b); // what is carried on stands first
}

E Exprs::times(E e, int64_t factor) {
  if (e->kind == Expr::Position)
    return position(e->affine * factor);
  return factor == 1 ? e : infix(Op::Mul, e, number(double(factor), ElementType::I64));
}

E Exprs::product(E a, E b) {
  if (a->isNumber(1))
    return b;
  if (b->isNumber(1))
    return a;
  if (a->kind == Expr::Real && a->arguments[0]->kind == Expr::Position)
    a = a->arguments[0];
  return infix(Op::Mul, a, b);
}

E Exprs::logic(Op op, E a, E b) {
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (x->isTruth(true))
      return op == Op::And ? y : x;
    if (x->isTruth(false))
      return op == Op::And ? x : y;
  }
  return infix(op, a, b);
}

static std::optional<Op> negated(Op op) {
  switch (op) {
  case Op::Less: return Op::GreaterEqual;
  case Op::LessEqual: return Op::Greater;
  case Op::Greater: return Op::LessEqual;
  case Op::GreaterEqual: return Op::Less;
  case Op::Equal: return Op::NotEqual;
  case Op::NotEqual: return Op::Equal;
  default: return std::nullopt;
  }
}

E Exprs::negation(E condition) {
  if (condition->kind == Expr::Not)
    return condition->arguments[0];
  if (condition->kind == Expr::Number)
    return number(condition->number == 0, ElementType::Bool);
  if (condition->kind == Expr::Infix)
    if (std::optional<Op> op = negated(condition->op))
      return infix(*op, condition->arguments[0], condition->arguments[1]);
  return make({.kind = Expr::Not, .arguments = {condition}});
}

E Exprs::choice(E condition, E a, E b) {
  if (condition->kind == Expr::Number)
    return condition->number != 0 ? a : b;
  if (condition->kind == Expr::Not)
    return choice(condition->arguments[0], b, a);
  if (isMinusInfinity(a) && !isMinusInfinity(b))
    std::swap(a, b), condition = negation(condition);
  return make({.kind = Expr::If, .arguments = {condition, a, b}});
}

bool plc::import::isSame(E a, E b) {
  if (a == b)
    return true;
  bool isAlike = a->kind == b->kind && a->op == b->op && a->number == b->number && a->affine == b->affine &&
                 a->key == b->key && a->vars == b->vars && a->terms.size() == b->terms.size() &&
                 a->arguments.size() == b->arguments.size();
  if (!isAlike)
    return false;
  for (size_t i = 0; i < a->terms.size(); ++i) {
    const Term &x = a->terms[i], &y = b->terms[i];
    if (!x.computed != !y.computed || !(x.affine == y.affine) || (x.computed && !isSame(x.computed, y.computed)))
      return false;
  }
  return std::equal(a->arguments.begin(), a->arguments.end(), b->arguments.begin(), isSame);
}

void plc::import::walk(E e, const std::function<void(E)> &visit) {
  visit(e);
  for (const Term &term : e->terms)
    if (term.computed)
      walk(term.computed, visit);
  for (E argument : e->arguments)
    walk(argument, visit);
}

std::vector<const Var *> plc::import::varsOf(E e) {
  std::vector<const Var *> vars;
  walk(e, [&](E each) {
    for (auto [index, factor] : each->affine.factors)
      vars.push_back(index);
    for (const Term &term : each->terms)
      for (auto [index, factor] : term.affine.factors)
        vars.push_back(index);
  });
  walk(e, [&](E each) { vars.insert(vars.end(), each->vars.begin(), each->vars.end()); });
  return vars;
}

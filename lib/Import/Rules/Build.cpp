//===- Build.cpp - the element of a value at a position -------------------===//
#include "Rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace plc;
using namespace plc::import;

E Rules::element(NetNode *node, const Position &at) {
  if (node->formula)
    return formula(node, at);
  if (node->is(OpClass::Leaf) || node->isRule)
    return read(node, at);
  return define(node, at);
}

/// An operand that is broadcast: axes of extent 1 take no position.
E Rules::broadcast(NetNode *node, const Position &at) {
  Position own(at.end() - node->rank(), at.end());
  for (int i = 0; i < node->rank(); ++i)
    if (node->axes[i].empty())
      own[i].clear();
  return element(node, own);
}

E Rules::formula(NetNode *node, const Position &at) {
  const Formula &formula = *node->formula;
  auto position = [&](int dim) { return joined(at[dim], flat(node->axes[dim])); };
  switch (formula.kind) {
  case Formula::Number: return node->counted ? correction(node) : exprs.number(formula.value, node->type.type);
  case Formula::Affine: {
    E sum = exprs.position(Affine(int64_t(formula.value)));
    for (auto [dim, factor] : formula.factors)
      sum = exprs.sum(Op::Add, sum, exprs.times(position(dim), factor));
    return node->isReal() ? exprs.real(sum) : sum;
  }
  case Formula::Band:
  case Formula::Mask: {
    E row = position(formula.row), column = position(formula.column);
    E condition = exprs.number(1, ElementType::Bool);
    auto bound = [&](int64_t distance, bool isHigh) {
      bool isStrict = distance == (isHigh ? -1 : 1);
      Op op = isHigh ? (isStrict ? Op::Less : Op::LessEqual) : (isStrict ? Op::Greater : Op::GreaterEqual);
      E limit = exprs.sum(Op::Add, row, exprs.position(Affine(isStrict ? 0 : distance)));
      condition = exprs.logic(Op::And, condition, exprs.infix(op, column, limit));
    };
    if (formula.high)
      bound(*formula.high, true);
    if (formula.low)
      bound(*formula.low, false);
    return formula.kind == Formula::Band ? condition : exprs.choice(condition, exprs.number(0), exprs.infinity());
  }
  case Formula::Geometric: {
    E row = position(formula.row);
    E extent = exprs.make({.kind = Expr::Extent, .number = double(node->extent(formula.row)), .affine = row->affine});
    E exponent = exprs.infix(Op::Div, row, extent);
    return exprs.call(Op::Pow,
                      {exprs.number(formula.value), exprs.make({.kind = Expr::Negate, .arguments = {exponent}})});
  }
  case Formula::Table: {
    std::vector<E> choices;
    for (double each : formula.table)
      choices.push_back(exprs.number(each, node->type.type));
    return chooseByNumber(position(formula.row), choices);
  }
  }
  return nullptr;
}

/// B * N / (B * N - 1)
E Rules::correction(const NetNode *node) {
  E count = nullptr;
  for (int64_t dim : node->counted->axes.empty() ? Shape() : node->ints)
    for (Atom *leaf : flat(node->counted->axes[size_t(dim)])) {
      E extent = exprs.make({.kind = Expr::Extent, .number = double(leaf->extent), .affine = Affine(exprs.var(leaf))});
      count = count ? exprs.infix(Op::Mul, count, extent) : extent;
    }
  if (!count)
    return exprs.number(node->formula->value, node->type.type);
  return exprs.infix(Op::Div, count, exprs.infix(Op::Sub, count, exprs.number(node->dim)));
}

/// if p == 0 then .. else if p == 1 then .. else ..; the one of a constant position.
E Rules::chooseByNumber(E position, const std::vector<E> &choices) {
  if (position->kind == Expr::Position && position->affine.isConstant())
    return choices[position->affine.constant];
  E e = choices.back();
  for (size_t k = choices.size() - 1; k-- > 0;) {
    E isThis = exprs.infix(Op::Equal, position, exprs.number(double(k), ElementType::I64));
    e = isSame(choices[k], e) ? e : exprs.make({.kind = Expr::If, .arguments = {isThis, choices[k], e}});
  }
  return e;
}

E Rules::convert(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  E e = element(x, at);
  if (kindOf(node->type.type) == kindOf(x->type.type))
    return e;
  if (node->isBool())
    return exprs.infix(Op::NotEqual, e, exprs.number(0, x->isReal() ? ElementType::F64 : ElementType::I64));
  return node->isReal() ? exprs.real(e) : exprs.integer(e);
}

E Rules::matmul(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0], *y = node->operands[1];
  std::vector<const Var *> summed;
  Terms inner;
  for (Atom *leaf : flat(x->axes.back())) {
    summed.push_back(exprs.var(leaf));
    inner.push_back(Term{Affine(summed.back())});
  }
  auto batch = [&](const NetNode *operand) {
    Position own(at.end() - operand->rank(), at.end() - 2);
    for (int i = 0; i < operand->rank() - 2; ++i)
      if (operand->axes[i].empty())
        own[i].clear();
    return own;
  };
  Position left = batch(x), right = batch(y);
  left.push_back(at[at.size() - 2]);
  left.push_back(inner);
  right.push_back(inner);
  right.push_back(at.back());
  E product = exprs.make({.kind = Expr::Product, .arguments = {element(x, left), element(y, right)}, .vars = summed});
  return node->operand(2) ? exprs.sum(Op::Add, product, broadcast(node->operands[2], at)) : product;
}

E Rules::patches(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0], *w = node->operands[1];
  std::vector<const Var *> summed;
  Position inner;
  for (int i = 1; i < w->rank(); ++i) {
    inner.emplace_back();
    for (Atom *leaf : flat(w->axes[i])) {
      summed.push_back(exprs.var(leaf));
      inner.back().push_back(Term{Affine(summed.back())});
    }
  }
  Position image = {at[0], inner[0]}, weight = {at[1]};
  weight.insert(weight.end(), inner.begin(), inner.end());
  for (int i = 2; i < node->rank(); ++i) {
    if (w->axes[i].empty())
      image.push_back(at[i]);
    else
      image.push_back(moved(at[i], flat(node->axes[i]), w->extent(i), inner[i - 1][0].affine, flat(x->axes[i])));
  }
  E product = exprs.make({.kind = Expr::Product, .arguments = {element(x, image), element(w, weight)}, .vars = summed});
  return node->operand(2) ? exprs.sum(Op::Add, product, element(node->operands[2], {at[1]})) : product;
}

E Rules::gather(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  if (node->op == Op::Gather || node->op == Op::PickedBest) {
    E index = element(node->operands[1], at);
    Position own = at;
    for (int i = 0; i < x->rank(); ++i)
      if (x->axes[i].empty())
        own[i].clear();
    own[node->dim] = position(index, x->axes[node->dim]);
    return element(x, own);
  }
  auto [first, last, rank] = indexedAxes(*node);
  Position middle(at.begin() + first, at.begin() + first + rank), own(at.begin(), at.begin() + first);
  for (size_t i = first; i < last; ++i)
    own.push_back(position(broadcast(node->operands[i + 1], middle), x->axes[i]));
  own.insert(own.end(), at.begin() + first + rank, at.end());
  const NetNode *index = node->operands[first + 1];
  if (last != first + 1 || !index->formula || index->formula->kind != Formula::Table)
    return element(x, own);
  // A position is no choice of numbers: the element is.
  const Formula &table = *index->formula;
  std::vector<E> choices;
  for (double each : table.table) {
    own[first] = position(exprs.number(each, ElementType::I64), x->axes[first]);
    choices.push_back(element(x, own));
  }
  return chooseByNumber(exprs.position(join(middle[table.row], flat(index->axes[table.row]))), choices);
}

E Rules::reduction(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  std::vector<const Var *> summed;
  Position own;
  bool keeps = node->rank() == x->rank();
  size_t next = 0;
  for (int i = 0; i < x->rank(); ++i) {
    bool isSummed = std::find(node->ints.begin(), node->ints.end(), i) != node->ints.end();
    own.push_back(isSummed ? Terms() : at[next]);
    next += !isSummed || keeps;
    if (isSummed)
      for (Atom *leaf : flat(x->axes[i])) {
        summed.push_back(exprs.var(leaf));
        own.back().push_back(Term{Affine(summed.back())});
      }
  }
  E e = element(x, own);
  if (node->op == Op::Norm)
    return exprs.call(Op::Sqrt, {exprs.reduce(Op::Sum, summed, exprs.infix(Op::Mul, e, e))});
  return summed.empty() ? e : exprs.reduce(node->op, summed, e);
}

/// x * 0.3535 of a contraction over 8 is x / sqrt(K).
E Rules::scaled(E e) {
  if (e->kind != Expr::Infix)
    return e;
  E x = e->arguments[0], c = e->arguments[1];
  if (c->kind != Expr::Number)
    std::swap(x, c);
  if (c->kind != Expr::Number || x->kind != Expr::Product)
    return e;
  double extent = 1;
  for (const Var *index : x->vars)
    extent *= double(index->leaf->extent);
  double root = e->op == Op::Mul ? 1 / std::sqrt(extent) : std::sqrt(extent);
  if (std::fabs(c->number - root) > 1e-6 * root || extent == 1)
    return e;
  return exprs.infix(Op::Div, x, exprs.make({.kind = Expr::Root, .vars = x->vars}));
}

E Rules::infix(NetNode *node, const Position &at) {
  NetNode *a = node->operands[0], *b = node->operands[1];
  E x = broadcast(a, at), y = broadcast(b, at);
  auto asReal = [&](const NetNode *operand, E e) {
    bool isPlain = e->kind == Expr::Number || e->kind == Expr::Position;
    return node->isReal() && !operand->isReal() && !isPlain ? exprs.real(e) : e;
  };
  switch (node->op) {
  case Op::Add:
  case Op::Sub: return exprs.sum(node->op, asReal(a, x), asReal(b, y));
  case Op::Mul: return scaled(exprs.product(asReal(a, x), asReal(b, y)));
  case Op::Div: x = asReal(a, x), y = asReal(b, y); return y->isNumber(1) ? x : scaled(exprs.infix(Op::Div, x, y));
  case Op::And:
  case Op::Or: return exprs.logic(node->op, x, y);
  default: return exprs.infix(node->op, x, y);
  }
}

E Rules::elementwise(NetNode *node, const Position &at) {
  if (node->is(OpClass::Infix))
    return infix(node, at);
  E x = broadcast(node->operands[0], at);
  switch (node->op) {
  case Op::Where: return exprs.choice(x, broadcast(node->operands[1], at), broadcast(node->operands[2], at));
  case Op::Itself: return x;
  case Op::Negate: return exprs.make({.kind = Expr::Negate, .arguments = {x}});
  case Op::Not: return exprs.negation(x);
  case Op::Square:
    if (x->kind == Expr::Read || x->kind == Expr::Position)
      return exprs.infix(Op::Mul, x, x);
    return exprs.call(Op::Pow, {x, exprs.number(2)});
  case Op::Dropout:
    return exprs.make({.kind = Expr::Call, .op = node->op, .arguments = {x}, .settings = {{"rate", node->number}}});
  case Op::LeakyRelu:
    return exprs.make({.kind = Expr::Call, .op = node->op, .arguments = {x}, .settings = {{"slope", node->number}}});
  case Op::Elu:
    return exprs.make({.kind = Expr::Call, .op = node->op, .arguments = {x}, .settings = {{"alpha", node->number}}});
  default: break;
  }
  std::vector<E> arguments = {x};
  for (size_t k = 1; k < node->operands.size(); ++k)
    arguments.push_back(broadcast(node->operands[k], at));
  return exprs.call(node->op, arguments);
}

E Rules::stacked(NetNode *node, const Position &at) {
  Position part = at;
  const Term &first = at[node->dim][0];
  E number = first.computed ? first.computed : exprs.position(first.affine);
  part[node->dim].erase(part[node->dim].begin());
  std::vector<E> choices;
  for (NetNode *operand : node->operands)
    choices.push_back(element(operand, part));
  return chooseByNumber(number, choices);
}

/// The operand at a position that may lie outside of it.
E Rules::padded(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  Position own = at;
  for (size_t i = 0; i < node->ints.size() / 2; ++i) {
    size_t dim = at.size() - 1 - i;
    if (!node->ints[2 * i] && !node->ints[2 * i + 1])
      continue;
    own[dim] = moved(at[dim], flat(node->axes[dim]), 1, Affine(-node->ints[2 * i]), flat(x->axes[dim]));
  }
  return exprs.make({.kind = Expr::Pad, .number = node->number, .arguments = {element(x, own)}});
}

E Rules::repeated(NetNode *node, const Position &at) {
  Position own(at.end() - node->operands[0]->rank(), at.end());
  for (size_t i = 0, more = at.size() - own.size(); i < own.size(); ++i)
    if (node->ints[i + more] > 1)
      own[i].erase(own[i].begin());
  return element(node->operands[0], own);
}

E Rules::define(NetNode *node, const Position &at) {
  if (node->op == Op::Convert)
    return convert(node, at);
  if (node->isMap())
    return element(node->operands[0], throughMap(node, at));
  if (node->isElementwise())
    return elementwise(node, at);
  if (node->is(OpClass::Reduction))
    return reduction(node, at);
  if (node->is(OpClass::Gather))
    return gather(node, at);
  switch (node->op) {
  case Op::Matmul: return matmul(node, at);
  case Op::PatchConv: return patches(node, at);
  case Op::Cat: return stacked(node, at);
  case Op::Pad: return padded(node, at);
  case Op::Training: return exprs.call(node->op, {});
  default: return repeated(node, at); // others are rules
  }
}

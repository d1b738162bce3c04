//===- RightSides.cpp - right sides of operators that are always rules ----===//
#include "Rules/Rules.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

static std::vector<const Var *> indicesOf(const Terms &terms) {
  std::vector<const Var *> vars;
  for (const Term &term : terms)
    vars.push_back(term.single());
  return vars;
}

static bool isNumber(E e) { return e->kind == Expr::Number; }

/// Operands as whole tensors; nullopt if one is read by parts or in another order of axes. Functions of one element may
/// stand inside.
std::optional<std::vector<E>> Rules::wholeOperands(NetNode *node, const std::vector<size_t> &operands) {
  std::vector<E> arguments;
  for (size_t k : operands) {
    NetNode *x = node->operands[k];
    bool namesAll = node->op == Op::Lstm || node->op == Op::Gru; // other functions name the last axes alone
    if (namesAll && std::any_of(x->axes.begin(), x->axes.end(), [](const Axis &axis) { return flat(axis).size() > 1; }))
      throw CannotImport("an operand with an axis that a view divides", node);
    Position at = varPosition(exprs, x->axes);
    std::vector<const Var *> vars;
    for (const Terms &terms : at)
      for (const Term &term : terms)
        vars.push_back(term.single());
    E e = element(x, at), inner = e;
    while ((inner->kind == Expr::Call && std::all_of(inner->arguments.begin() + 1, inner->arguments.end(), isNumber)) ||
           inner->kind == Expr::Negate)
      inner = inner->arguments[0];
    if (!isPlainRead(inner, vars, *layer))
      return std::nullopt;
    arguments.push_back(e);
  }
  return arguments;
}

/// A function of the library on whole tensors.
E Rules::whole(NetNode *node, const std::vector<size_t> &operands, Settings settings) {
  std::optional<std::vector<E>> arguments = wholeOperands(node, operands);
  if (!arguments)
    throw CannotImport("an operand that is read by parts", node);
  return exprs.make({.kind = Expr::Whole, .op = node->op, .arguments = *arguments, .settings = std::move(settings)});
}

/// Layer norm and RMS norm: on whole tensors if they read and write all axes in order.
E Rules::normalization(NetNode *node, const Position &at, const std::vector<const Var *> &left) {
  bool isLayer = node->op == Op::LayerNorm;
  size_t count = isLayer ? node->ints[0] : 1;
  E e = element(node->operands[0], at);
  Position last(at.end() - count, at.end());
  std::vector<const Var *> vars;
  for (const Terms &terms : last)
    for (const Var *var : indicesOf(terms))
      vars.push_back(var);
  std::vector<E> arguments = {e};
  bool isPlain = vars.size() == 1 && isPlainRead(e, left, *layer) && !hasUnits(e->key.node) && left.back() == vars[0];
  for (size_t k = 1; k < (isLayer ? 3 : 2); ++k) {
    NetNode *w = node->operand(k);
    isPlain &= w && isParameter(w);
    arguments.push_back(w ? element(w, last) : exprs.number(k == 1));
  }
  Settings settings;
  if (node->number != 1e-5)
    settings.push_back({"eps", node->number});
  if (!isPlain)
    return exprs.make(
        {.kind = Expr::Library, .op = node->op, .arguments = arguments, .vars = vars, .settings = std::move(settings)});
  return exprs.make({.kind = Expr::Whole, .op = node->op, .arguments = arguments, .settings = std::move(settings)});
}

/// Rotary positions: on whole tensors if their axes are the last two, in order.
E Rules::rotated(NetNode *node, const Position &at, const std::vector<const Var *> &left) {
  E e = element(node->operands[0], at);
  const Terms &rows = at[size_t(node->dim)], &columns = at.back();
  if (rows.size() != 1 || columns.size() != 1)
    throw Misaligned("rotary positions along an axis that a view divides");
  std::vector<const Var *> vars = {rows[0].single(), columns[0].single()};
  Settings settings;
  if (node->number != 10000)
    settings.push_back({"base", node->number});
  bool isPlain =
      isPlainRead(e, left, *layer) && !hasUnits(e->key.node) && std::equal(vars.begin(), vars.end(), left.end() - 2);
  return exprs.make({.kind = isPlain ? Expr::Whole : Expr::Library,
                     .op = node->op,
                     .arguments = {e},
                     .vars = isPlain ? std::vector<const Var *>() : vars,
                     .settings = std::move(settings)});
}

E Rules::batchNorm(NetNode *node, const Position &at) {
  Settings settings;
  if (node->number != 1e-5)
    settings.push_back({"eps", node->number});
  bool isWhole = node->rank() == 4 && node->operands[3] && node->operands[4];
  for (const Axis &axis : node->axes)
    isWhole &= !axis.empty();
  if (isWhole)
    return whole(node, {0, 1, 2, 3, 4}, settings);
  auto channel = [&](size_t k) { return element(node->operands[k], {at[1]}); };
  E deviation = exprs.call(Op::Rsqrt, {exprs.infix(Op::Add, channel(2), exprs.number(node->number))});
  E e = exprs.infix(Op::Mul, exprs.infix(Op::Sub, element(node->operands[0], at), channel(1)), deviation);
  if (node->operands[3])
    e = exprs.infix(Op::Mul, e, channel(3));
  return node->operands[4] ? exprs.infix(Op::Add, e, channel(4)) : e;
}

E Rules::runningSum(NetNode *node, const Position &at) {
  Axis leaves = flat(node->axes[node->dim]);
  if (leaves.empty())
    return element(node->operands[0], at);
  if (leaves.size() != 1)
    throw Misaligned("a running sum along an axis that a view divides");
  const Var *before = exprs.var(leaves[0]);
  Position own = at;
  own[node->dim] = {Term{Affine(before)}};
  E e = element(node->operands[0], own);
  if (node->operands[0]->isBool())
    e = exprs.integer(e);
  E isBefore = exprs.infix(Op::LessEqual, exprs.position(Affine(before)), joined(at[node->dim], leaves));
  return exprs.reduce(Op(node->ints[0]), {before}, exprs.choice(isBefore, e, exprs.number(node->number)));
}

/// Positions of the largest.
E Rules::best(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  Axis leaves = flat(x->axes[node->dim]);
  if (leaves.empty())
    return exprs.number(0, ElementType::I64);
  if (leaves.size() != 1)
    throw Misaligned("the largest along an axis that a view divides");
  const Var *over = exprs.var(leaves[0]);
  Position own = at;
  if (node->op == Op::ArgMax && node->rank() < x->rank())
    own.insert(own.begin() + node->dim, Terms());
  own[node->dim] = {Term{Affine(over)}};
  E e = element(x, own);
  if (node->op == Op::ArgMax)
    return exprs.reduce(node->op, {over}, e);
  const Var *rank = at[node->dim][0].single();
  return exprs.make({.kind = Expr::TopK, .arguments = {e}, .vars = {over, rank}});
}

/// Of each target that counts; the class at others is not read.
E Rules::crossEntropy(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  E target = element(node->operands[1], at), ignored = exprs.number(node->number, ElementType::I64);
  Position own = at;
  std::vector<const Var *> classes;
  own.emplace_back();
  for (Atom *leaf : flat(x->axes.back())) {
    classes.push_back(exprs.var(leaf));
    own.back().push_back(Term{Affine(classes.back())});
  }
  E loss = exprs.make({.kind = Expr::Library, .op = node->op, .arguments = {element(x, own), target}, .vars = classes});
  return exprs.choice(exprs.infix(Op::NotEqual, target, ignored), loss, exprs.number(0));
}

E Rules::right(const Rule &rule, const Position &at) {
  NetNode *node = rule.key.node;
  switch (node->op) {
  case Op::LayerNorm:
  case Op::RmsNorm: return normalization(node, at, rule.left);
  case Op::BatchNorm: return batchNorm(node, at);
  case Op::Rope:
  case Op::RopePairs: return rotated(node, at, rule.left);
  case Op::Convolution:
  case Op::ConvTranspose: return convolution(node, at);
  case Op::Lstm: return whole(node, {0, 1, 2, 3}, {});
  case Op::Gru: return whole(node, {0, 1, 2, 3, 4}, {});
  case Op::Random:
  case Op::Normal: return exprs.call(node->op, {});
  case Op::CrossEntropy: return crossEntropy(node, at);
  case Op::UpsampleNearest:
  case Op::UpsampleLinear: return whole(node, {0}, {{"K", double(node->ints[0])}});
  case Op::MaxPool:
  case Op::MeanPool: return pool(node, at);
  case Op::GroupNorm: {
    Settings settings = {{"GROUPS", double(node->ints[0])}};
    if (node->number != 1e-5)
      settings.push_back({"eps", node->number});
    return whole(node, {0, 1, 2}, settings);
  }
  case Op::Softmax:
  case Op::LogSoftmax:
    return exprs.make({.kind = Expr::Library,
                       .op = node->op,
                       .arguments = {element(node->operands[0], at)},
                       .vars = indicesOf(at[node->dim])});
  case Op::Running: return runningSum(node, at);
  case Op::TopK:
  case Op::ArgMax: return best(node, at);
  default: return define(node, at);
  }
}

//===- Positions.cpp - positions through changes of indices ---------------===//
#include "Rules/Rules.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

/// The digits of a number on an axis's atoms; of one of the last elements, counted from the end of each atom.
static Terms digitsOf(int64_t number, const Axis &leaves, bool isFromEnd = false) {
  Terms terms(leaves.size());
  isFromEnd = isFromEnd && !leaves.empty() && extentOf(leaves) - number <= leaves.back()->extent;
  for (size_t i = leaves.size(); i-- > 0; number /= leaves[i]->extent)
    terms[i].affine = Affine(number % leaves[i]->extent, isFromEnd ? leaves[i] : nullptr);
  return terms;
}

/// The digits of a position on an axis's atoms: numbers, indices that count them, or computed by divisions.
Terms Rules::digits(const Affine &number, const Axis &leaves) {
  if (leaves.size() == 1)
    return {Term{number}};
  if (number.isConstant())
    return digitsOf(number.constant, leaves, number.end);
  Terms terms;
  int64_t stride = extentOf(leaves);
  for (Atom *leaf : leaves) {
    stride /= leaf->extent;
    auto counts = [&](const auto &each) { return each.second == stride && find(each.first->leaf) == leaf; };
    auto digit = std::find_if(number.factors.begin(), number.factors.end(), counts);
    if (digit != number.factors.end())
      terms.push_back(Term{Affine(digit->first)});
  }
  bool isCount = terms.size() == leaves.size() && number.factors.size() == leaves.size() && number.constant == 0;
  return isCount ? terms : computedDigits(exprs.position(number), leaves);
}

/// e // stride % extent, for each atom.
Terms Rules::computedDigits(E e, const Axis &leaves) {
  Terms terms;
  int64_t stride = extentOf(leaves);
  for (Atom *leaf : leaves) {
    stride /= leaf->extent;
    E digit = stride == 1 ? e : exprs.infix(Op::FloorDiv, e, exprs.number(double(stride), ElementType::I64));
    bool isFirst = leaf == leaves.front();
    if (!isFirst)
      digit = exprs.infix(Op::Remainder, digit, exprs.number(double(leaf->extent), ElementType::I64));
    terms.push_back(Term{Affine(), digit});
  }
  return terms;
}

E Rules::joined(const Terms &digits, const Axis &leaves) {
  if (std::none_of(digits.begin(), digits.end(), [](const Term &term) { return term.computed; }))
    return exprs.position(join(digits, leaves));
  // The digits of one expression are that expression.
  E first = digits.empty() ? nullptr : digits[0].computed;
  if (first && first->kind == Expr::Infix && first->op == Op::FloorDiv) {
    Terms all = computedDigits(first->arguments[0], leaves);
    bool isSameNumber = true;
    for (size_t i = 0; i < digits.size(); ++i)
      isSameNumber &= digits[i].computed && isSame(digits[i].computed, all[i].computed);
    if (isSameNumber)
      return first->arguments[0];
  }
  E number = nullptr;
  for (size_t i = 0; i < digits.size(); ++i) {
    E digit = digits[i].computed ? digits[i].computed : exprs.position(digits[i].affine);
    if (number)
      number = exprs.infix(Op::Mul, number, exprs.number(double(leaves[i]->extent), ElementType::I64));
    number = number ? exprs.sum(Op::Add, number, digit) : digit;
  }
  return number;
}

/// factor times a position plus an offset, on the atoms of another axis.
Terms Rules::moved(const Terms &terms, const Axis &own, int64_t factor, const Affine &offset, const Axis &source) {
  if (std::none_of(terms.begin(), terms.end(), [](const Term &term) { return term.computed; }))
    return digits(join(terms, own) * factor + offset, source);
  E e = exprs.times(joined(terms, own), factor);
  if (!(offset == Affine()))
    e = exprs.sum(Op::Add, e, exprs.position(offset));
  return source.size() == 1 ? Terms{Term{Affine(), e}} : computedDigits(e, source);
}

/// The operand's position at a slice's.
Position Rules::throughSlice(const NetNode *node, Position at) {
  const Tile &tile = node->tile;
  Terms &terms = at[tile.dim];
  Axis source = flat(node->operands[0]->axes[tile.dim]), own = flat(node->axes[tile.dim]);
  if (tile.kind == Tile::Part)
    terms.insert(terms.begin(), Term{Affine(tile.start)});
  else if (tile.kind == Tile::Last)
    terms.push_back(Term{Affine(tile.start)});
  if (tile.kind != Tile::Offset)
    return at;
  bool isComputed = std::any_of(terms.begin(), terms.end(), [](const Term &term) { return term.computed; });
  if (source.size() == 1 && !isComputed) {
    Affine position = join(terms, own) * tile.step + Affine(tile.start, node->isFromEnd ? source[0] : nullptr);
    position.isFirstPart = position.single() != nullptr;
    terms = {Term{position}};
    return at;
  }
  // Inside one turn of the last digit, or anywhere.
  int64_t turn = source.back()->extent, inside = tile.start % turn;
  if (!isComputed && tile.step == 1 && own.size() == 1 && inside + own[0]->extent <= turn) {
    Terms digits = digitsOf(tile.start, source, node->isFromEnd);
    digits.back().affine = terms[0].affine + digits.back().affine;
    terms = digits;
  } else {
    terms = moved(terms, own, tile.step, Affine(tile.start), source);
  }
  return at;
}

/// The operand's position at a position of a change of indices.
Position Rules::throughMap(const NetNode *node, const Position &at) {
  const NetNode *x = node->operands[0];
  switch (node->op) {
  case Op::View: {
    Terms all;
    for (const Terms &terms : at)
      all.insert(all.end(), terms.begin(), terms.end());
    Position own;
    size_t next = 0;
    for (const Axis &axis : x->axes) {
      size_t count = flat(axis).size();
      if (next + count > all.size())
        throw Misaligned("a view of axes that are divided differently");
      own.emplace_back(all.begin() + next, all.begin() + next + count);
      next += count;
    }
    return own;
  }
  case Op::Permute: {
    Position own(at.size());
    for (size_t i = 0; i < at.size(); ++i)
      own[node->ints[i]] = at[i];
    return own;
  }
  case Op::Expand: {
    Position own(at.end() - x->rank(), at.end());
    for (int i = 0; i < x->rank(); ++i)
      if (x->axes[i].empty())
        own[i].clear();
    return own;
  }
  case Op::Slice: return throughSlice(node, at);
  case Op::Unfold: {
    Position own(at.begin(), at.end() - 1);
    Affine inside = join(at.back(), flat(node->axes.back())) * node->ints[1];
    own[node->dim] = moved(at[node->dim], flat(node->axes[node->dim]), node->ints[0], inside, flat(x->axes[node->dim]));
    return own;
  }
  case Op::Select: {
    Position own = at;
    own.insert(own.begin() + node->dim, digitsOf(node->ints[0], flat(x->axes[node->dim]), node->isFromEnd));
    return own;
  }
  default: return at;
  }
}

/// A position on the atoms of an axis, from the number that it is.
Terms Rules::position(E e, const Axis &axis) {
  Axis leaves = flat(axis);
  if (leaves.empty())
    return {};
  if (e->kind == Expr::Real)
    e = e->arguments[0];
  if (e->kind == Expr::Number)
    e = exprs.position(Affine(int64_t(e->number)));
  if (e->kind != Expr::Position)
    return leaves.size() == 1 ? Terms{Term{Affine(), e}} : computedDigits(e, leaves);
  Affine number = e->affine;
  if (number.isConstant() && number.constant < 0)
    number.constant += extentOf(leaves);
  return digits(number, leaves);
}

Position plc::import::varPosition(Exprs &exprs, const std::vector<Axis> &axes) {
  Position at;
  for (const Axis &axis : axes) {
    at.emplace_back();
    for (Atom *leaf : flat(axis))
      at.back().push_back(Term{Affine(exprs.var(leaf))});
  }
  return at;
}

/// Whether a map exchanges the last two axes alone, as for the keys of attention.
static bool isMatrixTranspose(const NetNode *node) {
  if (node->op != Op::Permute || node->rank() < 3)
    return false;
  for (int i = 0; i < node->rank() - 2; ++i)
    if (node->ints[i] != i)
      return false;
  return node->ints.back() == node->rank() - 2;
}

/// Whether the rule is a function of the library on whole tensors, which gives axes in their order.
static bool staysInOrder(const NetNode *node) {
  switch (node->op) {
  case Op::BatchNorm:
  case Op::GroupNorm:
  case Op::MaxPool:
  case Op::MeanPool:
  case Op::UpsampleNearest:
  case Op::UpsampleLinear:
  case Op::ConvTranspose:
  case Op::Lstm: return true;
  case Op::Convolution: return isLibraryConvolution(node) && !node->operands[1]->isMap();
  default: return false;
  }
}

/// Whether nothing but views stands between a value and a result of the model.
static bool isResultBehind(const NetNode *node) {
  while (!node->isOutput && node->users.size() == 1 && node->users[0]->isMap())
    node = node->users[0];
  return node->isOutput;
}

/// The axes of a rule stand in the order in which the changes of indices behind it leave them: as the user sees them.
std::vector<int> Rules::orderOf(NetNode *node) {
  NetNode *end = node;
  while (end->users.size() == 1 && !end->isOutput && !staysInOrder(node)) {
    NetNode *user = end->users[0];
    bool isBijective = user->op == Op::View || user->op == Op::Permute || user->op == Op::Copy;
    if (!isBijective || user->isRule || (isMatrixTranspose(user) && !isResultBehind(user)))
      break;
    end = user;
  }
  Position behind = varPosition(exprs, end->axes), at = behind;
  for (NetNode *map = end; map != node; map = map->operands[0])
    at = throughMap(map, at);
  std::vector<const Var *> mine;
  for (const Terms &terms : at)
    for (const Term &term : terms)
      mine.push_back(term.single());
  std::vector<int> order;
  for (const Terms &terms : behind)
    for (const Term &term : terms)
      order.push_back(int(std::find(mine.begin(), mine.end(), term.single()) - mine.begin()));
  return order;
}

Axis Rules::axesOf(NetNode *node) {
  Axis leaves = flat(node->axes), ordered;
  if (node->is(OpClass::Leaf))
    return leaves;
  auto known = order.find(node);
  if (known == order.end())
    known = order.emplace(node, orderOf(node)).first;
  for (int i : known->second)
    ordered.push_back(leaves[i]);
  return ordered;
}

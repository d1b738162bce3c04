//===- Print.cpp - rules as text ------------------------------------------===//
#include "Text/Print.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

using namespace plc;
using namespace plc::import;

/// The shortest text that is read as this number.
std::string plc::import::numberText(double value) {
  if (std::isnan(value))
    return "(inf - inf)";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  if (value == std::floor(value) && std::fabs(value) < 1e9)
    return std::to_string(int64_t(value));
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  if (size_t at = text.find("e-0"); at != std::string::npos)
    text.erase(at + 2, 1);
  if (size_t at = text.find("e+"); at != std::string::npos)
    text.erase(at + 1, text[at + 2] == '0' ? 2 : 1);
  return text;
}

/// How tightly operators bind, as docs/language.md has it.
enum Precedence {
  Loosest,
  Disjunction,
  Conjunction,
  Negation,
  Comparison,
  BitwiseOr,
  BitwiseXor,
  BitwiseAnd,
  Shift,
  Sum,
  Factor,
  Sign,
  Tightest
};

static int precedenceOf(Op op) {
  switch (op) {
  case Op::Or: return Disjunction;
  case Op::And: return Conjunction;
  case Op::BitOr: return BitwiseOr;
  case Op::BitXor: return BitwiseXor;
  case Op::BitAnd: return BitwiseAnd;
  case Op::ShiftLeft:
  case Op::ShiftRight: return Shift;
  case Op::Add:
  case Op::Sub: return Sum;
  case Op::Mul:
  case Op::Div:
  case Op::FloorDiv:
  case Op::Remainder: return Factor;
  default: return Comparison;
  }
}

static std::string inParentheses(std::string text, bool isNeeded) { return isNeeded ? "(" + text + ")" : text; }

void Print::giveLetters(const std::vector<const Var *> &vars) {
  std::set<std::string> taken;
  for (const Var *index : vars)
    if (!letters.contains(index))
      taken.insert(letters[index] = indexName(sizes.name(index->leaf), taken));
}

std::string Print::affine(const Affine &position, bool isPart) {
  if (const Var *index = position.single())
    return (isPart ? "0 + " : "") + letters.at(index);
  if (position.isFirstPart && position.factors.size() == 1)
    return "0 + " + letters.at(position.factors[0].first);
  auto factors = position.factors;
  std::sort(factors.begin(), factors.end(), [](const auto &a, const auto &b) {
    return std::pair(a.second < 0, -std::abs(a.second)) < std::pair(b.second < 0, -std::abs(b.second));
  });
  bool hasNegative = !factors.empty() && factors.back().second < 0;
  int64_t constant = position.constant;
  std::string text;
  if (position.end)
    if (std::string size = sizes.name(position.end); !std::isdigit(size[0])) {
      text = size;
      constant -= position.end->extent;
      if (constant)
        text += " - " + std::to_string(-constant);
      constant = 0;
    }
  bool leads = constant > 0 && !hasNegative;
  if (leads)
    text = std::to_string(constant);
  for (auto [index, factor] : factors) {
    std::string coefficient = std::to_string(std::abs(factor));
    for (auto [other, unit] : factors) // the size of a finer index of this position
      if (other != index && unit == 1 && other->leaf->extent == std::abs(factor))
        coefficient = sizes.name(other->leaf);
    std::string part = (std::abs(factor) == 1 ? "" : coefficient + " * ") + letters.at(index);
    if (text.empty())
      text = (factor < 0 ? "-" : "") + part;
    else
      text += (factor < 0 ? " - " : " + ") + part;
  }
  if (constant && !leads)
    text +=
        text.empty() ? std::to_string(constant) : (constant < 0 ? " - " : " + ") + std::to_string(std::abs(constant));
  return text.empty() ? std::to_string(constant) : text;
}

std::string Print::term(const Term &term, int64_t extent) {
  if (term.computed)
    return expr(term.computed, Loosest);
  const Var *index = term.single();
  if (index && index->leaf->extent == extent)
    sized.insert(index);
  return affine(term.affine, index && index->leaf->extent != extent);
}

std::string Print::nameOf(const RuleKey &key) const {
  auto found = names.find(key);
  return found != names.end() ? found->second : names.at({key.node});
}

/// Of the user's inputs and of parameters of library functions all axes are there, also those of one element.
std::string Print::readWhole(E e) {
  NetNode *node = e->key.node;
  std::string text;
  size_t next = 0;
  auto add = [&](const std::string &position) { text += (text.empty() ? "" : ", ") + position; };
  for (const Axis &axis : node->axes) {
    Axis leaves = flat(axis);
    Terms terms(e->terms.begin() + next, e->terms.begin() + next + leaves.size());
    next += leaves.size();
    if (leaves.empty())
      add("0");
    if (node->op != Op::Input || leaves.size() == 1) {
      for (size_t i = 0; i < leaves.size(); ++i)
        add(term(terms[i], leaves[i]->extent));
      continue;
    }
    if (leaves.empty())
      continue;
    bool isSplit = std::all_of(terms.begin(), terms.end(), [](const Term &each) { return each.single(); });
    for (const Term &each : terms) // digits on an input's axis are one position
      if (isSplit)
        sized.insert(each.single());
    E position = rules.joined(terms, leaves);
    const Var *index = position->kind == Expr::Position ? position->affine.single() : nullptr;
    add(index ? affine(position->affine, index->leaf->extent != extentOf(leaves)) : expr(position, Loosest));
  }
  return text;
}

std::string Print::read(E e) {
  std::string text, name = nameOf(e->key);
  NetNode *node = e->key.node;
  if (node->op == Op::Input || rules.full.contains(node)) {
    text = readWhole(e);
  } else {
    Axis leaves = rules.axesOfRead(e, layer);
    for (size_t i = 0; i < e->terms.size(); ++i)
      text += (i ? ", " : "") + term(e->terms[i], leaves[i]->extent);
  }
  return text.empty() ? name : name + "[" + text + "]";
}

std::string Print::infix(E e, int outer) {
  int own = precedenceOf(e->op);
  bool isComparison = own == Comparison;
  bool isOrdered =
      e->op == Op::Sub || e->op == Op::Div || e->op == Op::FloorDiv || e->op == Op::Remainder || own == Shift;
  std::string left = expr(e->arguments[0], own + isComparison),
              right = expr(e->arguments[1], own + (isComparison || isOrdered));
  return inParentheses(left + " " + textOf(e->op) + " " + right, own < outer);
}

std::string Print::bound(const Var *index) {
  return letters.at(index) + (sized.contains(index) ? "" : ": " + sizes.name(index->leaf));
}

std::string Print::list(const std::vector<const Var *> &vars) {
  std::string text;
  for (const Var *index : vars)
    text += (text.empty() ? "" : ", ") + bound(index);
  return text;
}

/// "a, b; NAME = 3".
std::string Print::arguments(E e, bool isBareCall) {
  std::string text;
  for (E argument : e->arguments)
    text += (text.empty() ? "" : ", ") + (isBareCall ? bare(argument) : expr(argument, Loosest));
  const char *separator = "; ";
  for (auto [name, value] : e->settings) {
    text += separator + std::string(name) + " = " + numberText(value);
    separator = ", ";
  }
  return text;
}

std::string Print::expr(E e, int outer) {
  switch (e->kind) {
  case Expr::Number:
    if (e->type == ElementType::Bool)
      return inParentheses(e->number != 0 ? "0 == 0" : "0 == 1", outer > Comparison);
    return inParentheses(numberText(e->number), e->number < 0 && outer > Sum);
  case Expr::Position: {
    std::string text = affine(e->affine, false);
    bool isSum = text.find(' ') != std::string::npos &&
                 (text.find('+') != std::string::npos || text.find('-') != std::string::npos);
    bool isProduct = text.find(' ') != std::string::npos || text[0] == '-';
    return inParentheses(text, (isSum && outer > Sum) || (isProduct && outer > Factor));
  }
  case Expr::Read: return read(e);
  case Expr::Infix: return infix(e, outer);
  case Expr::Product: {
    std::string left = expr(e->arguments[0], Factor);
    std::string product = left + " * " + expr(e->arguments[1], Sign);
    bool isSized = std::all_of(e->vars.begin(), e->vars.end(), [&](const Var *var) { return sized.contains(var); });
    return isSized ? inParentheses(product, outer > Factor) : "sum[" + list(e->vars) + "](" + product + ")";
  }
  case Expr::Negate: return inParentheses("-" + expr(e->arguments[0], Sign), outer > Factor);
  case Expr::Not: return inParentheses("not " + expr(e->arguments[0], Comparison), outer > Negation);
  case Expr::If: {
    std::string text = "if " + expr(e->arguments[0], Disjunction) + " then " + expr(e->arguments[1], Disjunction);
    return inParentheses(text + " else " + expr(e->arguments[2], Loosest), outer > Loosest);
  }
  case Expr::Real: return "real(" + expr(e->arguments[0], Loosest) + ")";
  case Expr::Call:
  case Expr::Whole: return std::string(textOf(e->op)) + "(" + arguments(e, e->kind == Expr::Whole) + ")";
  case Expr::Reduce:
  case Expr::Library: {
    std::string inner = arguments(e, false); // first: it shows which indices tensors size
    return std::string(textOf(e->op)) + "[" + list(e->vars) + "](" + inner + ")";
  }
  case Expr::Extent: {
    const Var *index = e->affine.single();
    return index ? sizes.name(index->leaf) : numberText(e->number);
  }
  case Expr::Root: {
    std::string product;
    for (const Var *index : e->vars)
      product += (product.empty() ? "" : " * ") + sizes.name(index->leaf);
    return "sqrt(" + product + ")";
  }
  case Expr::Pad:
    return "pad(" + expr(e->arguments[0], Loosest) + (e->number ? ", " + numberText(e->number) : "") + ")";
  case Expr::TopK: {
    std::string inner = expr(e->arguments[0], Loosest);
    sized.insert(e->vars[1]);
    return "topk[" + letters.at(e->vars[0]) + ", " + letters.at(e->vars[1]) + ": " + sizes.name(e->vars[1]->leaf) +
           "](" + inner + ")";
  }
  }
  return "";
}

std::string Print::bare(E e) {
  switch (e->kind) {
  case Expr::Read: return nameOf(e->key);
  case Expr::Number: return numberText(e->number);
  case Expr::Negate: return "-" + bare(e->arguments[0]);
  case Expr::Infix: return bare(e->arguments[0]) + " " + textOf(e->op) + " " + bare(e->arguments[1]);
  default: return std::string(textOf(e->op)) + "(" + arguments(e, true) + ")";
  }
}

/// Whether a rule reads all its values at its own indices in order: then it needs none.
bool Print::isBare(E e, const std::vector<const Var *> &left) {
  auto isInner = [&](E argument) { return isBare(argument, left); };
  switch (e->kind) {
  case Expr::Read: return rules.isPlainRead(e, left, layer) && !rules.hasUnits(e->key.node);
  case Expr::Number: return e->type != ElementType::Bool;
  case Expr::Call: return !e->arguments.empty() && std::all_of(e->arguments.begin(), e->arguments.end(), isInner);
  case Expr::Infix:
    if (e->op == Op::Mul)
      for (E factor : e->arguments)
        if (factor->kind != Expr::Read && factor->kind != Expr::Number && factor->kind != Expr::Call)
          return false;
    if (e->op == Op::Sub && e->arguments[1]->kind == Expr::Infix && e->arguments[1]->op != Op::Mul)
      return false; // a difference of a sum
    return (e->op == Op::Add || e->op == Op::Sub || e->op == Op::Mul) &&
           std::all_of(e->arguments.begin(), e->arguments.end(), isInner);
  default: return false;
  }
}

/// Where a part begins: the sum of the extents before it. A number alone is the position of a single element.
std::string Print::partPosition(const Clause &clause, bool isSingleBehind) {
  std::string text;
  int64_t constant = 0;
  for (const Axis &part : clause.before) {
    std::string extent = sizes.product(part);
    if (std::isdigit(extent[0]) && extent.find(' ') == std::string::npos)
      constant += extentOf(part);
    else
      text += (text.empty() ? "" : " + ") + extent;
  }
  const Affine &inside = clause.left[clause.joined].affine;
  if (constant || (text.empty() && (inside.factors.empty() || isSingleBehind)))
    text = std::to_string(constant) + (text.empty() ? "" : " + " + text);
  if (inside.factors.empty())
    return text;
  std::string position = affine(inside, false);
  return text.empty() ? position : text + " + " + position;
}

/// How a value at a computed position is joined to the others there: a sum is meant by itself.
static const char *joinOf(const NetNode *node) {
  if (node->op != Op::Scatter)
    return "=";
  switch (Op(node->ints[0])) {
  case Op::MaxOf: return "max=";
  case Op::MinOf: return "min=";
  case Op::Prod: return "mul=";
  default: return "=";
  }
}

/// A clause's left side may add indices at an offset, or be computed.
std::string Print::clause(const std::string &name, const Rule &rule, const Clause &clause) {
  std::string right = expr(clause.right, Loosest), left;
  bool isFirst = &clause == &rule.clauses.front(), isJoin = rule.key.node->op == Op::Cat;
  bool isSingleBehind =
      rule.clauses.size() == 1 || std::any_of(rule.clauses.begin(), rule.clauses.end(), [](const Clause &each) {
        return !each.before.empty() && each.left[each.joined].affine.factors.empty();
      });
  for (size_t i = 0; i < clause.left.size(); ++i) {
    const Term &term = clause.left[i];
    const Var *index = term.single();
    bool isPart = isJoin && i == clause.joined;
    std::string position = isPart && (!index || !clause.before.empty() || isSingleBehind)
                               ? partPosition(clause, isSingleBehind)
                           : term.computed ? expr(term.computed, Loosest)
                           : index         ? bound(index)
                                           : affine(term.affine, false);
    left += (left.empty() ? "" : ", ") + position;
  }
  return name + "[" + left + "] " + (isFirst ? joinOf(rule.key.node) : "+=") + " " + right;
}

std::vector<std::string> Print::rule(const Rule &rule, bool declares) {
  std::string name = names.at(rule.key);
  std::vector<std::string> lines;
  if (!rule.clauses.empty()) {
    std::string extents;
    for (const Var *index : rule.left)
      extents += (extents.empty() ? "" : ", ") + sizes.name(index->leaf);
    if (declares)
      lines.push_back(name + (rule.isInteger ? ": i32[" : ": [") + extents + "]");
    for (const Clause &each : rule.clauses) {
      letters.clear();
      sized.clear();
      std::vector<const Var *> vars;
      for (const Term &term : each.left) {
        for (auto [index, factor] : term.affine.factors)
          vars.push_back(index);
        std::vector<const Var *> computed = term.computed ? varsOf(term.computed) : std::vector<const Var *>();
        vars.insert(vars.end(), computed.begin(), computed.end());
      }
      std::vector<const Var *> right = varsOf(each.right);
      vars.insert(vars.end(), right.begin(), right.end());
      giveLetters(vars);
      lines.push_back(clause(name, rule, each));
    }
    return lines;
  }
  std::vector<const Var *> vars = rule.left, right = varsOf(rule.right);
  vars.insert(vars.end(), right.begin(), right.end());
  giveLetters(vars);
  if (rule.right->kind == Expr::Whole ||
      (!rule.left.empty() && rule.right->kind != Expr::Number && isBare(rule.right, rule.left)))
    return {name + " = " + bare(rule.right)};
  std::string text = expr(rule.right, Loosest);
  return {name + (rule.left.empty() ? "" : "[" + list(rule.left) + "]") + " = " + text};
}

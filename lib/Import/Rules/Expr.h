//===- Expr.h - expressions over indices ------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_RULES_EXPR_H
#define PLC_LIB_IMPORT_RULES_EXPR_H

#include "Net/Net.h"

#include <deque>
#include <functional>

namespace plc::import {

/// An index of one rule: it runs over an atom.
struct Var {
  Atom *leaf;
};

/// A position: a constant and a sum of coefficients times indices.
struct Affine {
  int64_t constant = 0;
  std::vector<std::pair<const Var *, int64_t>> factors{};
  bool isFirstPart = false; // the first part of a longer axis, which is printed as `0 + i`
  Atom *end = nullptr;      // the constant is counted from the end of this axis, which is printed as `S - 1`

  explicit Affine(int64_t constant = 0, Atom *end = nullptr) : constant(constant), end(end) {}
  explicit Affine(const Var *index) : factors{{index, 1}} {}
  Affine operator+(const Affine &other) const;
  Affine operator*(int64_t factor) const;
  /// The index, if it is one index alone.
  const Var *single() const;
  bool isConstant() const { return factors.empty(); }
  bool operator==(const Affine &other) const {
    return constant == other.constant && factors == other.factors && end == other.end;
  }
};

struct Expr;
using E = const Expr *;

/// A position on one atom: a sum of indices, or a computed one.
struct Term {
  Affine affine;
  E computed = nullptr;
  const Var *single() const { return computed ? nullptr : affine.single(); }
  std::optional<int64_t> number() const {
    return computed || !affine.isConstant() ? std::nullopt : std::optional(affine.constant);
  }
};
using Terms = std::vector<Term>;
/// The position of an element: for each axis a term for each of its atoms.
using Position = std::vector<Terms>;

/// Which rule a value has: queries, keys and values of one product are three rules, which numbers on an axis tell
/// apart.
struct RuleKey {
  NetNode *node = nullptr;
  std::vector<std::pair<int, int64_t>> chosen{}; // axes of the rule, and numbers on them; less than 0 from the end
  auto operator<=>(const RuleKey &) const = default;
};

struct Expr {
  enum Kind : uint8_t {
    Number,   // number, of type
    Position, // affine
    Read,     // key at terms
    Infix,    // op: arguments
    Product,  // the sum over vars of the product of both arguments
    Negate,
    Not,
    If,
    Real,    // of an integer or a truth
    Call,    // a function of elements; settings
    Reduce,  // op[vars](argument)
    Library, // op[vars](arguments; settings)
    Whole,   // op(arguments; settings), of whole tensors
    Extent,  // of the index of a term
    Root,    // the square root of the extents of vars
    Pad,     // argument, and number outside
    TopK     // op[vars[0], vars[1]](argument)
  } kind;
  Op op = Op::Number;
  double number = 0;
  ElementType type = ElementType::F64;
  Affine affine{};
  RuleKey key{};
  Terms terms{};
  std::vector<E> arguments{};
  std::vector<const Var *> vars{};
  std::vector<std::pair<const char *, double>> settings{};

  bool isNumber(double value) const { return kind == Number && number == value; }
  bool isTruth(bool value) const { return kind == Number && type == ElementType::Bool && (number != 0) == value; }
};

/// Makes expressions, in their simplest form.
class Exprs {
public:
  E make(Expr expr) { return &exprs.emplace_back(std::move(expr)); }
  Var *var(Atom *leaf) { return &vars.emplace_back(Var{leaf}); }
  E number(double value, ElementType type = ElementType::F64);
  E infinity(); // minus infinity
  E position(Affine affine) { return make({.kind = Expr::Position, .affine = std::move(affine)}); }
  E infix(Op op, E a, E b) { return make({.kind = Expr::Infix, .op = op, .arguments = {a, b}}); }
  E call(Op op, std::vector<E> arguments) {
    return make({.kind = Expr::Call, .op = op, .arguments = std::move(arguments)});
  }
  E real(E e);
  E integer(E e);
  E sum(Op op, E a, E b); // + or -
  E times(E position, int64_t factor);
  E product(E a, E b);
  E logic(Op op, E a, E b); // and, or
  E negation(E condition);  // not
  E choice(E condition, E a, E b);
  E reduce(Op op, std::vector<const Var *> vars, E e) {
    return make({.kind = Expr::Reduce, .op = op, .arguments = {e}, .vars = std::move(vars)});
  }

private:
  std::deque<Expr> exprs;
  std::deque<Var> vars;
};

/// Several digits as one number.
Affine join(const Terms &digits, const Axis &leaves);
bool isMinusInfinity(E e);
bool isSame(E a, E b);
/// Calls `visit` for an expression and all in it, also in its positions.
void walk(E e, const std::function<void(E)> &visit);
/// The indices of an expression, in the order in which they occur.
std::vector<const Var *> varsOf(E e);

} // namespace plc::import

#endif

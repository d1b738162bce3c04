//===- Sizes.cpp - dims, -D and size expressions --------------------------===//
#include "Sizes.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/Nearest.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;
using plc::Diagnostics;
using plc::Nearest;

const Size *Sizes::find(StringRef name) const {
  auto it = sizes.find(name);
  if (it != sizes.end())
    return &it->second;
  return outer ? outer->find(name) : nullptr;
}

const Size *Sizes::findExtent(StringRef axis) const {
  auto it = extents.find(axis);
  if (it != extents.end())
    return &it->second;
  return outer ? outer->findExtent(axis) : nullptr;
}

bool plc::language::isSizeCall(const Expr &expr) {
  return expr.kind == Expr::Call && expr.name == "size" && !expr.brackets && expr.operands.size() == 1 &&
         expr.operands[0]->kind == Expr::Name;
}

bool plc::language::mentionsSize(const Expr &expr) {
  return isSizeCall(expr) || llvm::any_of(expr.operands, [](const Expr *operand) { return mentionsSize(*operand); });
}

void Sizes::offer(Nearest &nearest) const {
  for (const auto &[known, size] : sizes)
    nearest.offer(known);
  if (outer)
    outer->offer(nearest);
}

/// A dim may use only dims before it, so the error about a later one points to it.
void Sizes::unknown(StringRef name, SMLoc location) const {
  auto later = coming.find(name);
  Nearest nearest(name);
  offer(nearest);
  Diagnostic &error = diagnostics.error(location, "'" + name + "' is not a known size" +
                                                      (later == coming.end() ? nearest.text() : " here"));
  if (later != coming.end())
    error.note(later->second, "it is defined here; a 'dim' uses those before it");
}

/// `dim KEPT = 0` is a flag that -D turns on. A size that is computed to 0 is a mistake.
static bool isFlag(const DimDecl &dim) { return dim.value->kind == Expr::Number && dim.value->text == "0"; }

/// The size of the first of `users` that has a value for it; null if none has.
static const Size *sizeOfUsers(StringRef name, llvm::ArrayRef<const Sizes *> users) {
  for (const Sizes *user : users)
    if (const Size *size = user->find(name); size && size->value)
      return size;
  return nullptr;
}

void Sizes::define(const File &file, const std::vector<std::pair<std::string, int64_t>> &overrides, StringRef batch,
                   int64_t batches, llvm::ArrayRef<const Sizes *> users) {
  // A later -D of a name wins.
  std::map<StringRef, int64_t> given;
  for (const auto &[name, value] : overrides)
    given[name] = value;
  for (const DimDecl &dim : file.dims)
    coming.try_emplace(dim.name, dim.location);
  for (const DimDecl &dim : file.dims) {
    if (!isSizeName(dim.name)) {
      diagnostics.error(dim.location, "the size '" + dim.name + "' must start with an upper-case letter");
      sizes[dim.name] = {std::nullopt, dim.location};
      continue;
    }
    if (const Size *earlier = find(dim.name)) {
      diagnostics.error(dim.location, "'" + dim.name + "' is defined twice")
          .note(earlier->location, "the first definition is here");
      continue;
    }
    const Size *theirs = sizeOfUsers(dim.name, users);
    auto it = given.find(dim.name);
    Size size = theirs              ? *theirs
                : it != given.end() ? Size{it->second, dim.location, /*overridden=*/true}
                                    : Size{evaluate(*dim.value), dim.location};
    int64_t least = isFlag(dim) ? 0 : 1;
    if (size.value && *size.value < least) {
      Diagnostic &error = diagnostics.error(dim.location, "'" + dim.name + "' is " + Twine(*size.value) +
                                                              (size.overridden ? " by -D" : "") + ", expected " +
                                                              Twine(least) + " to 9223372036854775807");
      if (theirs)
        error.note(theirs->location, "it has the value of this definition, in a file that uses this one");
      size.value.reset();
    }
    // That of a user is as large already.
    size.batches = theirs ? theirs->batches : dim.name == batch ? batches : 1;
    if (size.value && !theirs && llvm::MulOverflow(*size.value, size.batches, *size.value)) {
      diagnostics.error(dim.location, "'" + dim.name + "' is larger than 9223372036854775807 in a step of " +
                                          Twine(size.batches) + " batches");
      size.value.reset();
    }
    sizes[dim.name] = size;
    coming.erase(dim.name);
  }
}

std::optional<int64_t> Sizes::overflow(const Expr &expr) const {
  Diagnostic &error =
      diagnostics.error(expr.location, "size '" + expr.text.substr(0, 60) + "' is larger than 9223372036854775807");
  noteValues(error, expr);
  return std::nullopt;
}

/// Adds notes with the values of the names in an expression.
void Sizes::noteValues(Diagnostic &error, const Expr &expr) const {
  const Size *size = isSizeCall(expr)          ? findExtent(expr.operands[0]->name)
                     : expr.kind == Expr::Name ? find(expr.name)
                                               : nullptr;
  if (size && size->value && llvm::none_of(error.notes, [&](auto &note) { return note.location == size->location; }))
    error.note(size->location,
               "'" + expr.text.substr(0, 60) + "' is " + Twine(*size->value) + (size->overridden ? " by -D" : "") +
                   (size->batches > 1 ? " in a step of " + Twine(size->batches) + " batches" : Twine()));
  for (const Expr *operand : expr.operands)
    noteValues(error, *operand);
}

std::optional<int64_t> Sizes::evaluateLiteral(const Expr &expr) const {
  int64_t value;
  if (expr.text.find_first_of(".eEi") != StringRef::npos) {
    diagnostics.error(expr.location, "found '" + expr.text.substr(0, 40) + "', expected an integer");
    return std::nullopt;
  }
  return expr.text.getAsInteger(10, value) ? overflow(expr) : std::optional(value);
}

std::optional<int64_t> Sizes::evaluate(const Expr &expr) const {
  switch (expr.kind) {
  case Expr::Number: return evaluateLiteral(expr);
  case Expr::Name:
    if (const Size *size = find(expr.name))
      return size->value;
    unknown(expr.name, expr.location);
    return std::nullopt;
  case Expr::Paren: return evaluate(*expr.operands[0]);
  case Expr::Negate: {
    std::optional<int64_t> value = evaluate(*expr.operands[0]);
    int64_t negated;
    if (value && llvm::SubOverflow(int64_t(0), *value, negated))
      return overflow(expr);
    return value ? std::optional(negated) : value;
  }
  case Expr::Sum: {
    int64_t sum = 0;
    bool known = true;
    for (auto [operand, sign] : llvm::zip(expr.operands, expr.operators)) {
      std::optional<int64_t> value = evaluate(*operand);
      known &= value.has_value();
      if (known && (sign == BinaryOp::Sub ? llvm::SubOverflow(sum, *value, sum) : llvm::AddOverflow(sum, *value, sum)))
        return overflow(expr);
    }
    return known ? std::optional(sum) : std::nullopt;
  }
  case Expr::Product: return evaluateProduct(expr);
  case Expr::Bits: return evaluateBits(expr);
  case Expr::Call:
    if (isSizeCall(expr)) {
      StringRef axis = expr.operands[0]->name;
      if (const Size *extent = findExtent(axis))
        return extent->value;
      diagnostics.error(expr.location, "'size(" + axis +
                                           ")' is not known: no index of the rule with an extent, and no " +
                                           "axis of the header, is '" + axis + "'");
      return std::nullopt;
    }
    [[fallthrough]];
  default:
    diagnostics.error(expr.location, "found '" + expr.text.substr(0, 60) +
                                         "', expected a size: names, integers and + - * / // % & | ^ ~ << >>");
    return std::nullopt;
  }
}

/// All operands are evaluated even after an error, so that each reports its own.
std::optional<int64_t> Sizes::evaluateProduct(const Expr &expr) const {
  int64_t product = 1;
  bool known = true;
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    std::optional<int64_t> value = evaluate(*expr.operands[i]);
    known &= value.has_value();
    if (!known)
      continue;
    if (expr.operators[i] != BinaryOp::Mul) {
      std::optional<int64_t> quotient = divide(expr, i, product, *value);
      if (!quotient)
        return quotient;
      product = *quotient;
    } else if (llvm::MulOverflow(product, *value, product)) {
      return overflow(expr);
    }
  }
  return known ? std::optional(product) : std::nullopt;
}

std::optional<int64_t> Sizes::evaluateBits(const Expr &expr) const {
  std::optional<int64_t> bits = expr.operands.size() == 1 ? std::optional<int64_t>(-1) : std::nullopt;
  bool known = true;
  for (auto [operand, op] : llvm::zip(expr.operands, expr.operators)) {
    std::optional<int64_t> value = evaluate(*operand);
    known &= value.has_value();
    if (!known)
      continue;
    bits = bits ? applyBits(op, *bits, *value) : value;
    if (!bits)
      return overflow(expr);
  }
  return known ? bits : std::nullopt;
}

/// `//` and `%` round down, as in Python; `/` must be exact.
std::optional<int64_t> Sizes::divide(const Expr &product, size_t position, int64_t dividend, int64_t divisor) const {
  if (divisor == 0 || (divisor == -1 && dividend == INT64_MIN)) {
    Diagnostic &error = diagnostics.error(product.operands[position]->location,
                                          "division of " + Twine(dividend) + " by " + Twine(divisor));
    noteValues(error, product);
    return std::nullopt;
  }
  int64_t floor = dividend / divisor - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
  if (product.operators[position] == BinaryOp::FloorDiv)
    return floor;
  if (product.operators[position] == BinaryOp::Mod)
    return dividend - floor * divisor;
  if (dividend % divisor == 0)
    return floor;
  Diagnostic &error = diagnostics.error(product.location, "the division '" + product.text.substr(0, 60) +
                                                              "' is not exact: " + Twine(dividend) + " / " +
                                                              Twine(divisor) + "; '//' rounds down");
  noteValues(error, product);
  return std::nullopt;
}

std::optional<int64_t> Sizes::evaluateExtent(const Expr &expr) const {
  std::optional<int64_t> value = evaluate(expr);
  if (!value || *value >= 1)
    return value;
  Diagnostic &error = diagnostics.error(expr.location, "extent '" + expr.text.substr(0, 60) + "' is " + Twine(*value) +
                                                           ", expected 1 to 9223372036854775807");
  noteValues(error, expr);
  return std::nullopt;
}

std::optional<double> plc::language::evaluateNumber(const Expr &expr, const Sizes &sizes, Diagnostics &diagnostics) {
  auto operand = [&](size_t i) { return evaluateNumber(*expr.operands[i], sizes, diagnostics); };
  switch (expr.kind) {
  case Expr::Number: {
    double value = INFINITY;
    if (expr.text != "inf")
      expr.text.getAsDouble(value);
    return value;
  }
  case Expr::Name:
    if (const Size *size = sizes.find(expr.name))
      return size->value ? std::optional<double>(*size->value) : std::nullopt;
    break;
  case Expr::Paren: return operand(0);
  case Expr::Negate: {
    std::optional<double> value = operand(0);
    return value ? std::optional(-*value) : value;
  }
  case Expr::Call:
    if (expr.name == "sqrt" && !expr.brackets && expr.operands.size() == 1) {
      std::optional<double> value = operand(0);
      return value ? std::optional(std::sqrt(*value)) : value;
    }
    break;
  case Expr::Sum:
  case Expr::Product: {
    if (llvm::any_of(expr.operators, isRounding))
      break;
    std::optional<double> result = operand(0);
    for (size_t i = 1; i < expr.operands.size() && result; ++i) {
      std::optional<double> value = operand(i);
      if (!value)
        return value;
      switch (expr.operators[i]) {
      case BinaryOp::Add: *result += *value; break;
      case BinaryOp::Sub: *result -= *value; break;
      case BinaryOp::Mul: *result *= *value; break;
      case BinaryOp::Div: *result /= *value; break;
      default: llvm_unreachable("refused above: numbers are not rounded");
      }
    }
    return result;
  }
  default: break;
  }
  diagnostics.error(expr.location,
                    "found '" + expr.text.substr(0, 60) + "', expected a number: sizes, numbers, + - * / and sqrt");
  return std::nullopt;
}

//===- ParseExpression.cpp - expressions, by precedence -------------------===//
#include "Parser.h"
#include "plc/Support/Diagnostics.h"
#include <array>

using namespace plc::language;

/// Makes a node whose text begins at `place`; `finish` ends the text.
Expr *Parser::make(Expr::Kind kind, SMLoc location) {
  Expr &expr = file.exprs.emplace_back();
  expr.kind = kind;
  expr.location = location;
  expr.text = StringRef(location.getPointer(), 0);
  return &expr;
}

const Expr *Parser::finish(Expr *expr) {
  const char *begin = expr->text.begin();
  expr->text = StringRef(begin, lastEnd - begin);
  return expr;
}

const Expr *Parser::parseExpression() { return at("if") ? parseIf() : parseConjunction(Expr::Or); }

/// Parses the condition or a branch of an `if`. An `if` inside it counts as nesting; a chain of `else if` must not
/// overflow the stack.
const Expr *Parser::parseBranch() {
  if (!at("if"))
    return parseExpression();
  if (!nest(peek().location(), nesting))
    return nullptr;
  const Expr *expr = parseIf();
  --nesting;
  return expr;
}

/// The branches reach as far right as possible: `if` has the lowest precedence.
const Expr *Parser::parseIf() {
  Expr *expr = make(Expr::If, take().location());
  const Expr *condition = parseBranch();
  if (!condition || !expect("then", "after the condition"))
    return nullptr;
  const Expr *yes = parseBranch();
  if (!yes || !expect("else", "after the branch of 'then'"))
    return nullptr;
  const Expr *no = parseBranch();
  if (!no)
    return nullptr;
  expr->operands = {condition, yes, no};
  return finish(expr);
}

/// `or` over `and` over `not`.
const Expr *Parser::parseConjunction(Expr::Kind kind) {
  StringRef word = kind == Expr::Or ? "or" : "and";
  auto operand = [&] { return kind == Expr::Or ? parseConjunction(Expr::And) : parseNot(); };
  const Expr *first = operand();
  if (!first || !at(word))
    return first;
  Expr *expr = make(kind, SMLoc::getFromPointer(first->text.begin()));
  expr->operands.push_back(first);
  while (accept(word)) {
    const Expr *next = operand();
    if (!next)
      return nullptr;
    expr->operands.push_back(next);
  }
  return finish(expr);
}

const Expr *Parser::parseNot() {
  if (!at("not"))
    return parseComparison();
  if (!nest(peek().location(), nesting))
    return nullptr;
  Expr *expr = make(Expr::Not, take().location());
  const Expr *operand = parseNot();
  if (!operand)
    return nullptr;
  --nesting;
  expr->operands = {operand};
  return finish(expr);
}

/// At most one comparison: a chain is an error with a remedy.
const Expr *Parser::parseComparison() {
  const Expr *left = parseBits();
  if (!left)
    return nullptr;
  static constexpr StringRef comparisons[] = {"==", "!=", "<=", ">=", "<", ">"};
  for (StringRef op : comparisons) {
    if (!at(op))
      continue;
    Expr *expr = make(Expr::Compare, SMLoc::getFromPointer(left->text.begin()));
    expr->name = op;
    expr->location = take().location();
    const Expr *right = parseBits();
    if (!right)
      return nullptr;
    expr->operands = {left, right};
    finish(expr);
    if (llvm::any_of(comparisons, [&](StringRef next) { return at(next); })) {
      diagnostics.error(peek().location(),
                        "comparisons do not chain; write 'a " + op + " b and b " + peek().text + " c'");
      return nullptr;
    }
    return expr;
  }
  return left;
}

/// `|` over `^` over `&` over the shifts, which are over sums, as in Python.
const Expr *Parser::parseBits(unsigned level) {
  static constexpr std::array<StringRef, 2> levels[] = {{"|", "|"}, {"^", "^"}, {"&", "&"}, {"<<", ">>"}};
  if (level == std::size(levels))
    return parseSum();
  const Expr *first = parseBits(level + 1);
  auto atOperator = [&] { return at(levels[level][0]) || at(levels[level][1]); };
  if (!first || !atOperator())
    return first;
  Expr *expr = make(Expr::Bits, SMLoc::getFromPointer(first->text.begin()));
  expr->operands = {first};
  expr->operators = {binaryOpOf(peek().text)};
  while (atOperator()) {
    expr->operators.push_back(binaryOpOf(take().text));
    const Expr *next = parseBits(level + 1);
    if (!next)
      return nullptr;
    expr->operands.push_back(next);
  }
  return finish(expr);
}

/// Sums and products are n-ary, so that long ones are not deep.
const Expr *Parser::parseSum() {
  const Expr *first = parseProduct();
  if (!first || (!at("+") && !at("-")))
    return first;
  Expr *expr = make(Expr::Sum, SMLoc::getFromPointer(first->text.begin()));
  expr->operands = {first};
  expr->operators = {BinaryOp::Add};
  while (at("+") || at("-")) {
    expr->operators.push_back(binaryOpOf(take().text));
    const Expr *next = parseProduct();
    if (!next)
      return nullptr;
    expr->operands.push_back(next);
  }
  return finish(expr);
}

const Expr *Parser::parseProduct() {
  const Expr *first = parseUnary();
  auto atOperator = [&] { return at("*") || at("/") || at("//") || at("%"); };
  if (!first || !atOperator())
    return first;
  Expr *expr = make(Expr::Product, SMLoc::getFromPointer(first->text.begin()));
  expr->operands = {first};
  expr->operators = {BinaryOp::Mul};
  while (atOperator()) {
    expr->operators.push_back(binaryOpOf(take().text));
    // `**` of other languages gets a remedy.
    if (expr->operators.back() == BinaryOp::Mul && at("*")) {
      diagnostics.error(peek().location(), "found a second '*'; a power is 'pow(a, b)'");
      return nullptr;
    }
    const Expr *next = parseUnary();
    if (!next)
      return nullptr;
    expr->operands.push_back(next);
  }
  return finish(expr);
}

const Expr *Parser::parseUnary() {
  if (!at("-") && !at("~"))
    return parsePrimary();
  if (!nest(peek().location(), nesting))
    return nullptr;
  Expr *expr = make(at("-") ? Expr::Negate : Expr::Bits, peek().location());
  if (expr->kind == Expr::Bits)
    expr->operators = {binaryOpOf(peek().text)};
  take();
  const Expr *operand = parseUnary();
  if (!operand)
    return nullptr;
  --nesting;
  expr->operands = {operand};
  return finish(expr);
}

const Expr *Parser::parsePrimary() {
  const Token &token = peek();
  if (token.kind == Token::Number || token.is("inf")) {
    Expr *expr = make(Expr::Number, token.location());
    take();
    finish(expr);
    // A word that touches a number, as in `1e` or `2x`, is a misspelt literal and not the next statement.
    if (raw().kind == Token::Word && raw().text.begin() == lastEnd) {
      diagnostics.error(expr->location, "'" + expr->text + raw().text.substr(0, 40) + "' is not a number");
      return nullptr;
    }
    double value;
    if (expr->text != "inf" && (expr->text.getAsDouble(value) || value > 1.7976931348623157e308)) {
      diagnostics.error(expr->location, "number '" + expr->text.substr(0, 40) + "' is larger than any f64");
      return nullptr;
    }
    return expr;
  }
  if (token.is("(")) {
    Expr *expr = make(Expr::Paren, token.location());
    if (!open("(", ""))
      return nullptr;
    const Expr *inner = parseExpression();
    if (!inner || !close(")"))
      return nullptr;
    expr->operands = {inner};
    return finish(expr);
  }
  if (token.is("if")) {
    diagnostics.error(token.location(), "'if' inside an expression needs parentheses: '(if .. then .. else ..)'");
    return nullptr;
  }
  if (token.kind == Token::Word && !isReserved(token.text))
    return parseReference();
  fail("an expression");
  return nullptr;
}

/// `x`, `x[i]`, `f(e)`, `f[i](e)`.
const Expr *Parser::parseReference() {
  Token name = take();
  // `pop` is a word only before a name.
  if (name.is("pop") && atWord()) {
    diagnostics.error(name.location(), "'pop' stands alone on the right: 's[N] = pop " + peek().text + "'");
    return nullptr;
  }
  Expr *expr = make(Expr::Name, name.location());
  expr->name = name.text;
  if (at("[")) {
    expr->kind = Expr::Access;
    expr->brackets = true;
    if (!parseIndices(expr->indices))
      return nullptr;
  }
  if (at("(")) {
    expr->kind = Expr::Call;
    if (!parseCallArguments(*expr))
      return nullptr;
  }
  return finish(expr);
}

/// Positional arguments, then named ones behind a `;`.
bool Parser::parseCallArguments(Expr &call) {
  if (!open("(", ""))
    return false;
  while (!at(")") && !at(";")) {
    const Expr *argument = parseExpression();
    if (!argument)
      return false;
    call.operands.push_back(argument);
    if (!accept(","))
      break;
  }
  if (accept(";"))
    while (atWord()) {
      NamedExpr given{};
      if (!expectName("the name of an argument", given.name, given.location) || !expect("=", "after the name"))
        return false;
      given.value = parseExpression();
      if (!given.value)
        return false;
      call.given.push_back(given);
      if (!accept(","))
        break;
    }
  return close(")");
}

/// `[i, ..., 2*j + p, k: N, :]`.
bool Parser::parseIndices(std::vector<IndexEntry> &entries) {
  if (!open("[", ""))
    return false;
  while (!at("]")) {
    IndexEntry entry{peek().location()};
    if (at(":")) {
      Expr *whole = make(Expr::Whole, take().location());
      entry.expr = finish(whole);
    } else if (!accept("...")) {
      // `x[if]`: no `if` begins so.
      if (at("if") && (tokens[position + 1].is("]") || tokens[position + 1].is(","))) {
        StringRef name;
        return expectName("an index", name, entry.location);
      }
      entry.expr = parseExpression();
      if (!entry.expr)
        return false;
      if (accept(":") && !(entry.extent = parseExpression()))
        return false;
    }
    entries.push_back(entry);
    if (!accept(","))
      break;
  }
  return close("]");
}

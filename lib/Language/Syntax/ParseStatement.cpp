//===- ParseStatement.cpp - statements of a body --------------------------===//
#include "Parser.h"
#include "Sizes.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace plc::language;

/// Continues after an error: goes to the next line at this depth of braces, or to the brace that closes the block.
void Parser::skipStatement() {
  brackets.clear();
  unsigned depth = 0;
  bool first = position == statementStart;
  for (; raw().kind != Token::End; ++position, first = false) {
    if (depth == 0 && ((raw().startsLine && !first) || raw().is("}")))
      return;
    if (raw().is("{"))
      ++depth;
    else if (raw().is("}"))
      --depth;
  }
}

/// A block in braces. A word that only declarations begin with ends it early, so that a missing brace costs one error.
bool Parser::parseBlock(std::vector<Statement *> &body) {
  // The brace may stand on the next line.
  statementStart = position;
  if (!at("{"))
    return fail("'{' and a body");
  Token brace = take();
  if (!nest(brace.location(), blockNesting))
    return false;
  while (!raw().is("}")) {
    bool declaration = raw().startsLine && startsDeclaration() && !raw().is("batch");
    if (raw().kind == Token::End || declaration) {
      statementStart = position;
      diagnostics.error(raw().location(), "found " + describe(raw()) + ", expected '}'")
          .note(brace.location(), "to match this '{'");
      return declaration;
    }
    statementStart = position;
    nesting = bracketNesting = 0;
    body.push_back(parseStatement());
    if (body.back()->isBroken)
      skipStatement();
  }
  take();
  --blockNesting;
  return true;
}

/// A statement with errors keeps the names that it defines, so that their uses are not reported too.
Statement *Parser::parseStatement() {
  Statement &statement = file.statements.emplace_back();
  statement.location = peek().location();
  statement.kind = Statement::Rule;
  bool ok = true;
  if (!atWord())
    ok = fail("a statement");
  else if (at("param"))
    ok = parseParams(statement);
  else if (at("share"))
    ok = parseShare(statement);
  else if (at("repeat"))
    ok = parseRepeat(statement);
  else if (at("stash") && beforeWord(position))
    ok = parseStash(statement);
  else if (at("state") && beforeWord(position))
    ok = parseState(statement);
  else if (at("next") && beforeWord(position))
    ok = parseNext(statement);
  else
    ok = parseRule(statement);
  statement.isBroken = !ok;
  for (const ParamName &param : statement.params)
    if (!ok)
      statement.lefts.push_back(param.declarator);
  if (!ok)
    llvm::erase_if(statement.lefts, [](const Declarator &left) { return left.name.empty(); });
  return &statement;
}

/// `state k[B, T] = 0, n: i32[B] = 0`. `state = ..` and `next[b, s]` are names.
bool Parser::parseState(Statement &statement) {
  statement.kind = Statement::State;
  take();
  do {
    ParamName &state = statement.params.emplace_back();
    if (!parseDeclarator(state.declarator))
      return false;
    checkAxes(state.declarator, inOptimizer);
    if (at("~")) {
      diagnostics.error(peek().location(), "found '~' behind state '" + state.declarator.name +
                                               "', expected '=' and a number: a state begins as a constant");
      return false;
    }
    if (at(","))
      continue;
    if (!at("="))
      return fail("'=' and the number that each element of the state begins with");
    if (!parseInitializer(statement))
      return false;
    // One initialiser holds for all names before it that have none.
    for (ParamName &waiting : statement.params)
      if (waiting.initializer < 0)
        waiting.initializer = statement.initializers.size() - 1;
  } while (accept(","));
  return true;
}

/// `next k[b, t] = ..`, a rule for the value that the state has in the next run. Its left side is named "next k", which
/// no other name in a file can be.
bool Parser::parseNext(Statement &statement) {
  SMLoc location = take().location();
  if (!parseRule(statement))
    return false;
  Declarator &left = statement.lefts[0];
  if (statement.kind != Statement::Rule || statement.lefts.size() > 1) {
    diagnostics.error(location, "'next' gives one state its next value by a rule: 'next k[b, t] = ..'");
    return false;
  }
  statement.isNext = true;
  statement.skip = left.name;
  left.name = file.names.emplace_back("next " + left.name.str());
  return true;
}

/// Whether the token `at` stands before a word on its line, as in `stash skip`. Otherwise it is a name.
bool Parser::beforeWord(size_t at) const {
  const Token &next = tokens[at + 1];
  return next.kind == Token::Word && !next.startsLine;
}

/// `stash skip = u`.
bool Parser::parseStash(Statement &statement) {
  statement.kind = Statement::Stash;
  take();
  if (!expectName("the name of a skip", statement.skip, statement.skipLocation) || !expect("=", "and what is stashed"))
    return false;
  statement.value = parseExpression();
  return statement.value;
}

/// Whether a clause follows a left side: `+=`, or `max=`, `min=` or `mul=` without a blank inside.
bool Parser::atJoin() const {
  const Token &word = raw(), &next = tokens[position + 1];
  return at("+=") ||
         (word.kind == Token::Word && !word.startsLine && llvm::is_contained({"max", "min", "mul"}, word.text) &&
          next.is("=") && word.text.end() == next.text.begin());
}

/// `y[i] = e`, `y, z = f(x)`, `y[i] += e`, `y[i] max= e`, or a declaration `y: i32[N, C]` without a value.
bool Parser::parseRule(Statement &statement) {
  statement.kind = Statement::Rule;
  do {
    if (!parseDeclarator(statement.lefts.emplace_back(), /*onLeft=*/true))
      return false;
  } while (accept(","));
  auto typed = llvm::find_if(statement.lefts, [](const Declarator &left) { return left.elementLocation.isValid(); });
  if (typed != statement.lefts.end() && statement.lefts.size() == 1 && !at("=") && !atJoin()) {
    statement.kind = Statement::Extents;
    checkAxes(*typed, true);
    return true;
  }
  // `s: i32[N] = pop skip` has the type of a header.
  bool pops = at("=") && tokens[position + 1].is("pop") && beforeWord(position + 1);
  if (typed != statement.lefts.end() && !pops) {
    diagnostics.error(typed->elementLocation, "extents and an element type of one name stand on a line of their own, "
                                              "before its rules: 'y: i32[N, C]'");
    return false;
  }
  statement.adds = atJoin();
  if (statement.adds) {
    Token token = take();
    if (!token.is("+=")) {
      statement.join = token.text;
      take();
    }
    if (statement.lefts.size() > 1) {
      diagnostics.error(token.location(), "found " + llvm::Twine(statement.lefts.size()) + " left sides of '" +
                                              clauseToken(statement.join) + "', expected 1");
      return false;
    }
  }
  if (!statement.adds && !expect("=", "and the value"))
    return false;
  if (!statement.adds && statement.lefts.size() == 1 && at("pop") && beforeWord(position)) {
    statement.kind = Statement::Pop;
    take();
    checkAxes(statement.lefts[0], false);
    return expectName("the name of a skip", statement.skip, statement.skipLocation);
  }
  statement.value = parseExpression();
  return statement.value && parseNamespace(statement.space) && endsRule(*statement.value);
}

/// Whether a statement begins here: one of its words, or a `=`, `+=` or `:` outside brackets before the line ends.
bool Parser::beginsStatement() const {
  if (at("param") || at("share") || at("repeat"))
    return true;
  if (peek().kind != Token::Word || isReserved(peek().text))
    return false;
  int depth = 0;
  for (size_t i = position; tokens[i].kind != Token::End && (depth > 0 || i == position || !tokens[i].startsLine);
       ++i) {
    const Token &token = tokens[i];
    depth += int(token.is("(") || token.is("[")) - int(token.is(")") || token.is("]"));
    if (depth == 0 && (token.is("=") || token.is("+=") || token.is(":")))
      return true;
    if (token.is("{") || token.is("}"))
      break;
  }
  return false;
}

/// Reports tokens after a rule on its line that begin no statement. They probably belong to the value, so the rule is
/// not checked further.
bool Parser::endsRule(const Expr &value) {
  const Token &token = peek();
  if (!brackets.empty() || token.kind == Token::End || token.is("}") || beginsStatement())
    return !token.afterBadBytes;
  if (token.afterBadBytes)
    return false;
  std::string found = "found " + describe(token) + " behind a whole expression, expected an operator or the next line";
  if (token.is("[") && value.kind == Expr::Call)
    found += "; the indices stand inside: 'f(x[i])'";
  else if (token.kind == Token::Word && !isReserved(token.text))
    found += "; a product is written with '*'";
  diagnostics.error(token.location(), found);
  return false;
}

/// `in NAME`, `in NAME[TURN]` and `only a, b` behind a call.
bool Parser::parseNamespace(Namespace &space) {
  if (!at("in"))
    return true;
  take();
  if (!expectName("a namespace", space.name, space.location))
    return false;
  if (at("[")) {
    if (!open("[", "and the iteration") || !(space.iteration = parseExpression()) || !close("]"))
      return false;
  }
  space.hasOnly = accept("only");
  if (!space.hasOnly)
    return true;
  do {
    auto &[name, location] = space.only.emplace_back();
    if (!expectName("the name of a skip", name, location))
      return false;
  } while (accept(","));
  return true;
}

/// `param w[N], b[N] ~ normal(0.02)`: an initialiser holds for all names before it that have none.
bool Parser::parseParams(Statement &statement) {
  statement.kind = Statement::Param;
  take();
  bool frozen = accept("frozen");
  size_t waiting = 0; // the first name that still waits for an initializer
  do {
    ParamName &param = statement.params.emplace_back();
    param.frozen = frozen;
    if (!parseDeclarator(param.declarator))
      return false;
    checkAxes(param.declarator, false);
    if (!at("~") && !at("="))
      continue;
    if (!parseInitializer(statement))
      return false;
    bool suffix = accept("frozen");
    for (; waiting < statement.params.size(); ++waiting) {
      statement.params[waiting].initializer = statement.initializers.size() - 1;
      statement.params[waiting].frozen |= suffix;
    }
  } while (accept(","));
  return true;
}

bool Parser::parseInitializer(Statement &statement) {
  InitializerExpr result;
  bool distribution = take().is("~");
  if (!distribution) {
    result.kind = "constant";
    result.location = peek().location();
    const Expr *value = parseExpression();
    if (!value)
      return false;
    result.arguments = {value};
    statement.initializers.push_back(result);
    return true;
  }
  if (!expectName("a distribution", result.kind, result.location))
    return false;
  if (result.kind != "normal" && result.kind != "uniform") {
    diagnostics.error(result.location, "unknown distribution '" + result.kind + "', expected 'normal' or 'uniform'");
    return false;
  }
  if (!open("(", "and the distribution's parameters"))
    return false;
  while (!at(")")) {
    const Expr *argument = parseExpression();
    if (!argument)
      return false;
    result.arguments.push_back(argument);
    if (!accept(","))
      break;
  }
  // normal(deviation), uniform(low, high).
  size_t expected = result.kind == "normal" ? 1 : 2;
  if (result.arguments.size() != expected)
    diagnostics.error(result.location, "'" + result.kind + "' has " + llvm::Twine(result.arguments.size()) +
                                           " arguments, expected " + llvm::Twine(expected));
  statement.initializers.push_back(result);
  return close(")") && result.arguments.size() == expected;
}

/// `share w = embed.wte`. A path may hold numbers (`attention.3.wq`), which the lexer may glue (`3.1`): the path is the
/// run of adjacent words, numbers and dots.
bool Parser::parseShare(Statement &statement) {
  statement.kind = Statement::Share;
  take();
  if (!parseDeclarator(statement.lefts.emplace_back()) || !expect("=", "and the path of a parameter"))
    return false;
  StringRef first;
  if (!expectName("the path of a parameter", first, statement.pathLocation))
    return false;
  statement.path = first.str();
  while (raw().text.begin() == lastEnd && (raw().is(".") || raw().kind == Token::Word || raw().kind == Token::Number))
    statement.path += take().text;
  return true;
}

/// `repeat N { .. }` or `repeat t < N { .. }`.
bool Parser::parseRepeat(Statement &statement) {
  statement.kind = Statement::Repeat;
  take();
  if (raw().kind == Token::Word && tokens[position + 1].is("<")) {
    if (!expectName("a name for the iteration", statement.iteration, statement.iterationLocation))
      return false;
    take();
    if (isSizeName(statement.iteration)) {
      diagnostics.error(statement.iterationLocation,
                        "the iteration '" + statement.iteration + "' must start with a lower-case letter");
      return false;
    }
  }
  statement.value = parseExpression();
  return statement.value && parseBlock(statement.body);
}

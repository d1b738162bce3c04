//===- Parser.cpp - declarations ------------------------------------------===//
#include "Parser.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/ElementType.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace plc::language;
using plc::Diagnostics;

void plc::language::parseFile(StringRef source, File &file, Diagnostics &diagnostics) {
  Parser(source, file, diagnostics).parse();
}

/// Each declaration starts with fresh nesting: an error inside one leaves none open.
void Parser::parse() {
  while (raw().kind != Token::End) {
    statementStart = position;
    nesting = bracketNesting = blockNesting = 0;
    brackets.clear();
    bool ok = true;
    if (at("use"))
      ok = parseUse();
    else if (at("dim"))
      ok = parseDims();
    else if (at("batch"))
      ok = parseBatch();
    else if (at("layer"))
      ok = parseFunction(Function::Layer);
    else if (at("fn"))
      ok = parseFunction(Function::Fn);
    else if (at("model"))
      ok = parseFunction(Function::Model);
    else if (at("optimizer") && beforeWord(position))
      ok = parseFunction(Function::Optimizer);
    else
      ok = fail("'use', 'dim', 'batch', 'layer', 'fn', 'model' or 'optimizer'");
    if (!ok)
      skipDeclaration();
  }
}

/// Whether the present token can only begin a declaration, if it starts a line.
bool Parser::startsDeclaration() const {
  const Token &token = raw();
  return token.kind == Token::Word && (llvm::StringSwitch<bool>(token.text)
                                           .Cases({"use", "dim", "batch", "layer", "fn", "model"}, true)
                                           .Default(false) ||
                                       (token.text == "optimizer" && beforeWord(position)));
}

/// Goes to the next line that starts a declaration.
void Parser::skipDeclaration() {
  if (position == statementStart && raw().kind != Token::End)
    ++position;
  while (raw().kind != Token::End && !(raw().startsLine && startsDeclaration()))
    ++position;
}

bool Parser::parseUse() {
  take();
  UseDecl use;
  if (peek().kind == Token::String) {
    use.location = peek().location();
    use.path = take().text.drop_front().drop_back().str();
    use.isFile = true;
    file.uses.push_back(use);
    return true;
  }
  StringRef part;
  SMLoc location;
  do {
    if (!expectName(use.path.empty() ? "a library, or a file in quotes" : "the name of a library", part, location))
      return false;
    if (use.path.empty())
      use.location = location;
    else
      use.path += '.';
    use.path += part;
  } while (accept("."));
  file.uses.push_back(use);
  return true;
}

bool Parser::parseDims() {
  take();
  do {
    DimDecl dim{};
    if (!expectName("the name of a size", dim.name, dim.location) || !expect("=", "after the name"))
      return false;
    dim.value = parseExpression();
    if (!dim.value)
      return false;
    file.dims.push_back(dim);
  } while (accept(","));
  return true;
}

bool Parser::parseBatch() {
  take();
  StringRef name;
  SMLoc location;
  if (!expectName("the name of a size", name, location))
    return false;
  if (!file.batch.empty()) {
    diagnostics.error(location, "a second 'batch' line").note(file.batchLocation, "the first is here");
    return true;
  }
  file.batch = name;
  file.batchLocation = location;
  return true;
}

/// `layer f(x[N], ..; K = 2) -> y[N] kind NAME as NAME { .. }`; `kind` and `as` belong to layers. An optimizer has no
/// results: its `next` values are.
bool Parser::parseFunction(Function::Kind kind) {
  take();
  Function &function = file.functionStore.emplace_back();
  function.kind = kind;
  inOptimizer = kind == Function::Optimizer;
  if (!expectName("a name", function.name, function.location) || !parseArguments(function))
    return false;
  if (!inOptimizer && (!expect("->", "and the results") || !parseResults(function)))
    return false;
  SMLoc location;
  if (kind == Function::Layer && accept("kind") && !expectName("the name of a kind", function.kindName, location))
    return false;
  if (kind == Function::Layer && accept("as") &&
      !expectName("the name that paths of its parameters have", function.pathName, location))
    return false;
  checkHeader(function);
  // The header is complete, so the function can be called even if its body has errors.
  file.functions.push_back(&function);
  size_t errors = diagnostics.size();
  bool ok = parseBlock(function.body);
  function.hasSyntaxErrors = diagnostics.size() != errors;
  return ok;
}

/// Names of a header must differ; axes are sizes or names, and only an fn may be over `...`.
void Parser::checkHeader(const Function &function) {
  llvm::StringMap<SMLoc> names;
  auto define = [&](StringRef name, SMLoc location) {
    auto [earlier, isNew] = names.try_emplace(name, location);
    if (!isNew)
      diagnostics.error(location, "'" + name + "' is defined twice")
          .note(earlier->second, "the first definition is here");
  };
  for (const Declarator &argument : function.arguments)
    define(argument.name, argument.location);
  for (const NamedExpr &given : function.given)
    define(given.name, given.location);
  for (const Declarator &argument : function.arguments)
    checkAxes(argument, function.kind == Function::Fn || function.kind == Function::Optimizer);
  for (const Declarator &result : function.results)
    checkAxes(result, function.kind == Function::Fn);
}

void Parser::checkAxes(const Declarator &declarator, bool dots) {
  for (const IndexEntry &entry : declarator.axes) {
    if (entry.extent)
      diagnostics.error(entry.extent->location, "an extent has no place here: the axis itself is the size");
    if (entry.isEllipsis() && !dots)
      diagnostics.error(entry.location, "only an fn may be over '...'");
    else if (entry.isEllipsis() && &entry != &declarator.axes.front())
      diagnostics.error(entry.location, "'...' must be the first entry of a header's brackets");
  }
}

bool Parser::parseArguments(Function &function) {
  if (!open("(", "and the arguments"))
    return false;
  while (!at(")") && !at(";")) {
    if (!parseDeclarator(function.arguments.emplace_back()))
      return false;
    if (!accept(","))
      break;
  }
  if (accept(";") && !parseGiven(function.given))
    return false;
  return close(")");
}

bool Parser::parseGiven(std::vector<NamedExpr> &given) {
  while (atWord()) {
    NamedExpr &named = given.emplace_back();
    if (!expectName("a name", named.name, named.location))
      return false;
    named.value = nullptr;
    if (accept("=") && !(named.value = parseExpression()))
      return false;
    if (inOptimizer && !parseBounds(named))
      return false;
    if (!accept(","))
      break;
  }
  return true;
}

/// `from A`, `above A`, `to B`, `below B` behind the default of an optimizer's setting.
bool Parser::parseBounds(NamedExpr &setting) {
  while (at("from") || at("above") || at("to") || at("below")) {
    StringRef word = take().text;
    Bound bound{word == "from" || word == "above", word == "above" || word == "below", parseExpression()};
    if (!bound.value)
      return false;
    setting.bounds.push_back(bound);
  }
  return true;
}

bool Parser::parseResults(Function &function) {
  do {
    if (!parseDeclarator(function.results.emplace_back()))
      return false;
  } while (accept(","));
  return true;
}

/// `name`, `name[axes]` or `name: type[axes]`.
bool Parser::parseDeclarator(Declarator &result, bool onLeft) {
  if (!expectName("a name", result.name, result.location))
    return false;
  if (accept(":") && !parseElement(result, onLeft))
    return false;
  if (!at("["))
    return true;
  result.brackets = true;
  return parseIndices(result.axes);
}

bool Parser::parseElement(Declarator &result, bool onLeft) {
  result.elementLocation = peek().location();
  if (onLeft && at("["))
    return true; // `y: [N, C]`
  if (!expectName("an element type", result.element, result.elementLocation))
    return false;
  if (parseElementType(result.element))
    return true;
  diagnostics.error(result.elementLocation,
                    "unknown element type '" + result.element + "', expected " + listElementTypes(isAny));
  return false;
}

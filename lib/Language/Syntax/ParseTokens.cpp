//===- ParseTokens.cpp - how the parser reads tokens ----------------------===//
#include "Parser.h"
#include "plc/Support/Diagnostics.h"

using namespace plc::language;
using plc::Diagnostic;

const Token &Parser::peek() const {
  const Token &token = tokens[position];
  if (token.startsLine && brackets.empty() && position != statementStart) {
    // A line end ends the statement only outside of brackets.
    static thread_local Token end;
    end = {Token::End, true, token.afterBadBytes, token.text};
    return end;
  }
  return token;
}

Token Parser::take() {
  Token token = tokens[position];
  if (token.kind != Token::End)
    ++position;
  lastEnd = token.text.end();
  return token;
}

bool Parser::accept(StringRef symbol) {
  if (!at(symbol))
    return false;
  take();
  return true;
}

std::string Parser::describe(const Token &token) const {
  if (token.kind != Token::End)
    return "'" + token.text.substr(0, 40).str() + "'";
  return tokens[position].kind == Token::End ? "the end of the file" : "the end of the line";
}

/// Reports what was found and what is expected, unless the bytes before were reported.
bool Parser::fail(const llvm::Twine &expected) {
  const Token &token = peek();
  if (token.afterBadBytes)
    return false;
  // At the end of a line the location is behind the last token, not on the next line.
  SMLoc location = token.kind == Token::End && lastEnd ? SMLoc::getFromPointer(lastEnd) : token.location();
  Diagnostic &error = diagnostics.error(location, "found " + describe(token) + ", expected " + expected);
  if (!brackets.empty() && token.kind == Token::End)
    error.note(brackets.back().location(), "'" + brackets.back().text + "' is open since here");
  return false;
}

bool Parser::expect(StringRef symbol, const llvm::Twine &where) {
  return accept(symbol) || fail("'" + symbol + "' " + where);
}

bool Parser::open(StringRef symbol, const llvm::Twine &where) {
  if (!at(symbol))
    return fail("'" + symbol + "' " + where);
  if (!nest(peek().location(), symbol == "[" ? bracketNesting : nesting))
    return false;
  brackets.push_back(take());
  return true;
}

bool Parser::close(StringRef symbol) {
  if (!at(symbol)) {
    Token opened = brackets.back();
    const Token &token = peek();
    if (token.afterBadBytes)
      return false;
    diagnostics.error(token.location(), "found " + describe(token) + ", expected '" + symbol + "'")
        .note(opened.location(), "to match this '" + opened.text + "'");
    return false;
  }
  // From here on the enclosing bracket, if there is one, decides whether a line end ends the statement.
  take();
  brackets.pop_back();
  --(symbol == "]" ? bracketNesting : nesting);
  return true;
}

bool Parser::expectName(StringRef what, StringRef &name, SMLoc &location) {
  if (!atWord())
    return fail(what);
  if (isReserved(peek().text)) {
    diagnostics.error(peek().location(), "found the reserved word '" + peek().text + "', expected " + what);
    return false;
  }
  Token token = take();
  name = token.text;
  location = token.location();
  return true;
}

/// Counts a level of nesting, so that no input can overflow the stack.
bool Parser::nest(SMLoc location, unsigned &depth) {
  if (depth >= nestingLimit) {
    diagnostics.error(location, "nesting is deeper than " + llvm::Twine(nestingLimit));
    return false;
  }
  ++depth;
  return true;
}

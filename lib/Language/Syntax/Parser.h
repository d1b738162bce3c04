//===- Parser.h - from tokens to the syntax tree ----------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_PARSER_H
#define PLC_LIB_LANGUAGE_SYNTAX_PARSER_H

#include "Lexer.h"
#include "Syntax.h"
#include "llvm/ADT/Twine.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// Parses one file into `file`. After an error it continues with the next statement, so one run reports all errors.
void parseFile(StringRef source, File &file, Diagnostics &diagnostics);

/// The recursive-descent parser, by precedence. A function that fails has reported the error and returns null or false;
/// the caller of `parseStatement` resumes at the next statement. Methods are grouped by kind; Parser.cpp has
/// declarations, ParseStatement.cpp statements, ParseExpression.cpp expressions, ParseTokens.cpp tokens.
class Parser {
public:
  Parser(StringRef source, File &file, Diagnostics &diagnostics)
      : tokens(tokenize(source, diagnostics)), file(file), diagnostics(diagnostics) {}
  void parse();

private:
  /// Parentheses, prefix operators and `else if` together may nest this deep; index brackets and blocks each, too. Not
  /// tuned. Deeper than a person writes; shallow enough that recursion over the tree fits the stack of `onDeepStack`.
  static constexpr unsigned nestingLimit = 256;

  // Declarations.
  bool parseUse();
  bool parseDims();
  bool parseBatch();
  bool parseFunction(Function::Kind kind);
  bool parseArguments(Function &function);
  bool parseGiven(std::vector<NamedExpr> &given);
  bool parseBounds(NamedExpr &setting);
  bool parseResults(Function &function);
  bool parseDeclarator(Declarator &result, bool onLeft = false);
  bool parseElement(Declarator &result, bool onLeft);
  void checkHeader(const Function &function);
  void checkAxes(const Declarator &declarator, bool dots);

  // Statements.
  bool parseBlock(std::vector<Statement *> &body);
  Statement *parseStatement();
  bool parseState(Statement &statement);
  bool parseNext(Statement &statement);
  bool beginsStatement() const;
  bool endsRule(const Expr &value);
  bool beforeWord(size_t at) const;
  bool parseStash(Statement &statement);
  bool parseRule(Statement &statement);
  bool atJoin() const;
  bool parseNamespace(Namespace &space);
  bool parseParams(Statement &statement);
  bool parseInitializer(Statement &statement);
  bool parseShare(Statement &statement);
  bool parseRepeat(Statement &statement);
  void skipStatement();
  bool startsDeclaration() const;
  void skipDeclaration();

  // Expressions.
  const Expr *parseExpression();
  const Expr *parseIf();
  const Expr *parseBranch();
  const Expr *parseConjunction(Expr::Kind kind);
  const Expr *parseNot();
  const Expr *parseComparison();
  const Expr *parseBits(unsigned level = 0);
  const Expr *parseSum();
  const Expr *parseProduct();
  const Expr *parseUnary();
  const Expr *parsePrimary();
  const Expr *parseReference();
  bool parseCallArguments(Expr &call);
  bool parseIndices(std::vector<IndexEntry> &entries);

  Expr *make(Expr::Kind kind, SMLoc location);
  const Expr *finish(Expr *expr);

  // Tokens. Outside brackets a token that starts a line ends the statement before it: `peek` then returns an `End`,
  // `raw` does not.
  const Token &peek() const;
  const Token &raw() const { return tokens[position]; }
  bool at(StringRef symbol) const { return peek().is(symbol); }
  bool atWord() const { return peek().kind == Token::Word; }
  Token take();
  bool accept(StringRef symbol);
  bool expect(StringRef symbol, const llvm::Twine &where);
  /// `open` and `close` track brackets: inside them line ends do not count.
  bool open(StringRef symbol, const llvm::Twine &where);
  bool close(StringRef symbol);
  bool expectName(StringRef what, StringRef &name, SMLoc &location);
  bool fail(const llvm::Twine &expected);
  bool nest(SMLoc location, unsigned &depth);
  std::string describe(const Token &token) const;

  std::vector<Token> tokens;
  File &file;
  Diagnostics &diagnostics;
  size_t position = 0;
  size_t statementStart = 0;
  const char *lastEnd = nullptr;
  unsigned nesting = 0, bracketNesting = 0, blockNesting = 0;
  bool inOptimizer = false;    // in its header or body
  std::vector<Token> brackets; // open ( and [
};

} // namespace plc::language

#endif

//===- Lexer.h - tokens of a .ein file --------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_LEXER_H
#define PLC_LIB_LANGUAGE_SYNTAX_LEXER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"
#include <vector>

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// A token, as a slice of the source.
struct Token {
  /// `Symbol`: an operator or bracket. A reserved word is a `Word`, too; the grammar distinguishes them. The text of a
  /// `String` has its quotes.
  enum Kind { Word, Number, String, Symbol, End };
  Kind kind;
  bool startsLine;    // first on its line, and no word that continues the line before, as `else` does
  bool afterBadBytes; // the bytes before it were reported, so the parser does not report it as unexpected
  llvm::StringRef text;

  llvm::SMLoc location() const { return llvm::SMLoc::getFromPointer(text.data()); }
  bool is(llvm::StringRef symbol) const { return kind != End && kind != Number && kind != String && text == symbol; }
};

/// Splits a file into tokens, the last of which is `End`. Bytes that start no token, invalid UTF-8 among them, are
/// errors and skipped.
std::vector<Token> tokenize(llvm::StringRef source, Diagnostics &diagnostics);

/// Words that cannot name anything.
bool isReserved(llvm::StringRef word);
/// The reserved words, then the words that have a meaning only where they fit.
llvm::ArrayRef<llvm::StringRef> words();

} // namespace plc::language

#endif

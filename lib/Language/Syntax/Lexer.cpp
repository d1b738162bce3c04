//===- Lexer.cpp - tokens of a .ein file ----------------------------------===//
#include "Lexer.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>

using namespace plc::language;
using llvm::SMLoc;
using llvm::StringRef;
using plc::Diagnostics;

/// The first words are reserved, the others are names where they have no meaning.
static constexpr size_t numReserved = 16;
static constexpr StringRef allWords[] = {"use",    "dim",       "batch", "layer", "fn",   "model",  "param", "share",
                                         "repeat", "if",        "then",  "else",  "and",  "or",     "not",   "inf",
                                         "stash",  "pop",       "in",    "only",  "kind", "frozen", "as",    "state",
                                         "next",   "optimizer", "from",  "above", "to",   "below"};

llvm::ArrayRef<StringRef> plc::language::words() { return allWords; }

bool plc::language::isReserved(StringRef word) { return llvm::is_contained(words().take_front(numReserved), word); }

/// Whether a word at the start of a line continues the statement before it.
static bool continuesLine(StringRef word) { return word == "then" || word == "else" || word == "and" || word == "or"; }

namespace {
/// Reads the source once, from front to back. A statement ends at a line end, so tokens record whether they start a
/// line.
class Lexer {
public:
  Lexer(StringRef source, Diagnostics &diagnostics) : source(source), diagnostics(diagnostics) {}

  std::vector<Token> run() {
    if (source.starts_with("\xef\xbb\xbf")) // the byte order mark of some editors
      at = 3;
    while (skipBlanks())
      lexOne();
    push(Token::End, 0);
    return std::move(tokens);
  }

private:
  bool skipBlanks();
  void lexOne();
  size_t lengthOfNumber() const;
  void lexString();
  void badBytes();

  void push(Token::Kind kind, size_t length) {
    tokens.push_back({kind, startsLine, afterBadBytes, source.substr(at, length)});
    startsLine = afterBadBytes = false;
    at += length;
  }
  char peek(size_t offset) const { return at + offset < source.size() ? source[at + offset] : '\0'; }
  SMLoc here() const { return SMLoc::getFromPointer(source.data() + at); }

  StringRef source;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  size_t at = 0;
  bool startsLine = true, afterBadBytes = false;
};
} // namespace

/// Skips white space and comments; false at the end of the file.
bool Lexer::skipBlanks() {
  for (; at < source.size(); ++at) {
    char c = source[at];
    if (c == '#') {
      at = source.find('\n', at);
      if (at == StringRef::npos) {
        at = source.size();
        return false;
      }
      c = '\n';
    }
    if (c == '\n')
      startsLine = true;
    else if (c != ' ' && c != '\t' && c != '\r')
      return true;
  }
  return false;
}

/// Digits, a fraction, an exponent. A dot or an `e` without digits behind it is not part of the number: paths hold
/// `3.wq`.
size_t Lexer::lengthOfNumber() const {
  size_t n = 0;
  while (llvm::isDigit(peek(n)))
    ++n;
  if (peek(n) == '.' && llvm::isDigit(peek(n + 1))) {
    ++n;
    while (llvm::isDigit(peek(n)))
      ++n;
  }
  if (peek(n) == 'e' || peek(n) == 'E') {
    size_t exponent = n + 1 + (peek(n + 1) == '+' || peek(n + 1) == '-');
    if (llvm::isDigit(peek(exponent))) {
      n = exponent;
      while (llvm::isDigit(peek(n)))
        ++n;
    }
  }
  return n;
}

/// Longer symbols are tried before their prefixes.
void Lexer::lexOne() {
  char c = source[at];
  if (llvm::isDigit(c))
    return push(Token::Number, lengthOfNumber());
  if (llvm::isAlpha(c) || c == '_') {
    size_t n = 1;
    while (llvm::isAlnum(peek(n)) || peek(n) == '_')
      ++n;
    startsLine &= !continuesLine(source.substr(at, n));
    return push(Token::Word, n);
  }
  if (c == '"')
    return lexString();
  for (StringRef symbol : {"...", "->", "+=", "==", "!=", "<=", ">=", "<<", ">>", "//"})
    if (source.substr(at).starts_with(symbol))
      return push(Token::Symbol, symbol.size());
  if (StringRef("()[]{},;:=<>+-*/%~&|^.").contains(c))
    return push(Token::Symbol, 1);
  badBytes();
}

/// The name of a file: all bytes between two quotes on one line, without escapes.
void Lexer::lexString() {
  StringRef rest = source.substr(at + 1);
  size_t length = rest.find_if([](unsigned char c) { return c == '"' || c < 0x20; });
  bool closed = length < rest.size() && rest[length] == '"';
  StringRef text = rest.take_front(length);
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  if (closed && llvm::isLegalUTF8String(&begin, begin + text.size()))
    return push(Token::String, length + 2);
  diagnostics.error(here(), closed ? "the bytes in quotes are not valid UTF-8" : "'\"' is not closed on its line");
  afterBadBytes = true;
  at += std::min(length, rest.size()) + 1 + closed;
}

/// Reports one run of bytes that belong to no token.
void Lexer::badBytes() {
  afterBadBytes = true;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(source.data() + at);
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(source.data() + source.size());
  unsigned char c = *begin;
  if (c < 0x80) {
    if (llvm::isPrint(c))
      diagnostics.error(here(), llvm::Twine("character '") + llvm::Twine(static_cast<char>(c)) +
                                    "' has no meaning here" +
                                    (c == '@' ? "; a product of matrices is 'y[i, k] = x[i, j] * w[j, k]'" : ""));
    else
      diagnostics.error(here(), "byte 0x" + llvm::utohexstr(c, true, 2) + " has no meaning here" +
                                    (c ? "" : "; is this a text file?"));
    // A zero byte means that this is no text file; further errors would be noise.
    at = c ? at + 1 : source.size();
    return;
  }
  if (llvm::isLegalUTF8Sequence(begin, end)) {
    unsigned length = llvm::getNumBytesForUTF8(c);
    diagnostics.error(here(), "character '" + source.substr(at, length) + "' has no meaning outside comments");
    at += length;
    return;
  }
  diagnostics.error(here(), "byte 0x" + llvm::utohexstr(c, true, 2) + " is not valid UTF-8");
  // One error for a run of invalid bytes.
  while (at < source.size() && static_cast<unsigned char>(source[at]) >= 0x80)
    ++at;
}

std::vector<Token> plc::language::tokenize(StringRef source, Diagnostics &diagnostics) {
  return Lexer(source, diagnostics).run();
}

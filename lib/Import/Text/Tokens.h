//===- Tokens.h - words, numbers and characters of rules --------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_TOKENS_H
#define PLC_LIB_IMPORT_TEXT_TOKENS_H

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace plc::import {

inline bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
inline bool isDigits(const std::string &token) {
  return std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// Words, numbers and single characters, blanks among them.
inline std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size(); at += tokens.back().size()) {
    size_t end = at + 1;
    if (isWordCharacter(text[at]))
      while (end < text.size() && (isWordCharacter(text[end]) || (text[end] == '.' && std::isdigit(text[at]))))
        ++end;
    tokens.push_back(text.substr(at, end - at));
  }
  return tokens;
}

/// In front of an index of a rule, which may have the name of a tensor.
constexpr char indexMark = '\x05';

/// The tokens of a rule, indices marked: what stands alone within brackets, on the same line also outside of them.
inline std::vector<std::string> tokensOfRule(const std::string &text) {
  std::vector<std::string> tokens = tokensOf(text), indices;
  int depth = 0;
  auto isRead = [&](size_t i) { return i + 1 < tokens.size() && tokens[i + 1] == "["; };
  for (size_t i = 0; i < tokens.size(); ++i) {
    depth += (tokens[i] == "[") - (tokens[i] == "]");
    if (depth && std::islower(static_cast<unsigned char>(tokens[i][0])) && !isRead(i))
      indices.push_back(tokens[i]);
  }
  for (size_t i = 0; i < tokens.size(); ++i)
    if (!isRead(i) && std::find(indices.begin(), indices.end(), tokens[i]) != indices.end())
      tokens[i].insert(0, 1, indexMark);
  return tokens;
}

} // namespace plc::import

#endif

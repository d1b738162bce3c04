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

} // namespace plc::import

#endif

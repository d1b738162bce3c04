// The Unicode functions that tokenizers need, by ICU.
#ifndef PLC_TEXT_UNICODE_H
#define PLC_TEXT_UNICODE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plc::text {

/// Calls f(code point, first byte, end) for each character of UTF-8. Each invalid byte counts as U+FFFD.
void forEachCharacter(std::string_view text, const std::function<void(char32_t, size_t, size_t)> &f);
void append(std::string &text, char32_t character);
/// Replaces each character by the text that f appends for it.
std::string mapCharacters(std::string_view text, const std::function<void(char32_t, std::string &)> &f);

bool isWhiteSpace(char32_t c);
bool isPunctuation(char32_t c);
bool isNumeric(char32_t c);        // of decimal digits, letters and others
bool isControl(char32_t c);        // or a format character, or of private use
bool isNonSpacingMark(char32_t c); // an accent behind its letter
bool isMark(char32_t c);
/// Independent of neighboring characters.
void appendLowerCase(char32_t c, std::string &text);

enum class Normalization { C, D, KC, KD };
std::string normalize(Normalization form, std::string_view text);

/// A regular expression in ICU's syntax. The constructor throws std::invalid_argument if ICU rejects it.
class Regex {
public:
  explicit Regex(const std::string &pattern);
  /// Calls f(first byte, end) for each match that is not empty, in order.
  void forEachMatch(std::string_view text, const std::function<void(size_t, size_t)> &f) const;

private:
  std::shared_ptr<void> compiled;
};

} // namespace plc::text

#endif

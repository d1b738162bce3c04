// What a tokenizer needs to know of Unicode, by ICU. Text is UTF-8; bytes that are none count as U+FFFD, one by one.
#ifndef PLC_TEXT_UNICODE_H
#define PLC_TEXT_UNICODE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plc::text {

/// Calls f(code point, first byte, end) for each.
void forEachCharacter(std::string_view text, const std::function<void(char32_t, size_t, size_t)> &f);
void append(std::string &text, char32_t character);
/// The text with each character replaced by what f appends for it.
std::string mapCharacters(std::string_view text, const std::function<void(char32_t, std::string &)> &f);

bool isWhiteSpace(char32_t c);
bool isPunctuation(char32_t c);
bool isNumeric(char32_t c);        // of decimal digits, letters and others
bool isControl(char32_t c);        // or a format character, or of private use
bool isNonSpacingMark(char32_t c); // an accent behind its letter
bool isMark(char32_t c);
/// Without regard to what stands beside it.
void appendLowerCase(char32_t c, std::string &text);

enum class Normalization { C, D, KC, KD };
std::string normalize(Normalization form, std::string_view text);

/// Throws std::invalid_argument if ICU does not take the pattern.
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

// Calls of ICU, between UTF-8 and its UTF-16.
#include "Unicode.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>
#include <vector>

namespace plc::text {

namespace {

using Wide = std::vector<UChar>;

void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw std::runtime_error(std::string("ICU: ") + u_errorName(status));
}

Wide wideOf(std::string_view text) {
  Wide wide(text.size() + 1);
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(wide.data(), static_cast<int32_t>(wide.size()), &length, text.data(),
                       static_cast<int32_t>(text.size()), 0xfffd, nullptr, &status);
  check(status);
  wide.resize(static_cast<size_t>(length));
  return wide;
}

bool hasCategory(char32_t c, uint32_t mask) { return U_GET_GC_MASK(static_cast<UChar32>(c)) & mask; }

} // namespace

void forEachCharacter(std::string_view text, const std::function<void(char32_t, size_t, size_t)> &f) {
  auto length = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < length;) {
    int64_t begin = at;
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(text.data(), at, length, character);
    f(static_cast<char32_t>(character), static_cast<size_t>(begin), static_cast<size_t>(at));
  }
}

void append(std::string &text, char32_t character) {
  char bytes[U8_MAX_LENGTH];
  int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  text.append(bytes, static_cast<size_t>(length));
}

std::string mapCharacters(std::string_view text, const std::function<void(char32_t, std::string &)> &f) {
  std::string mapped;
  forEachCharacter(text, [&](char32_t c, size_t, size_t) { f(c, mapped); });
  return mapped;
}

bool isWhiteSpace(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

bool isPunctuation(char32_t c) {
  // BERT's rule: all of ASCII that is neither letter, digit nor blank, also '$' and '`', which are symbols in Unicode.
  return (c > 32 && c < 127 && !u_isalnum(static_cast<UChar32>(c))) || hasCategory(c, U_GC_P_MASK);
}

bool isNumeric(char32_t c) { return hasCategory(c, U_GC_N_MASK); }
bool isControl(char32_t c) { return hasCategory(c, U_GC_C_MASK & ~U_GC_CN_MASK); }
bool isNonSpacingMark(char32_t c) { return hasCategory(c, U_GC_MN_MASK); }
bool isMark(char32_t c) { return hasCategory(c, U_GC_M_MASK); }

void appendLowerCase(char32_t c, std::string &text) {
  append(text, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
  if (c == 0x130) // the only letter whose lower case is always two characters
    append(text, 0x307);
}

std::string normalize(Normalization form, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2 *normalizer = form == Normalization::C    ? unorm2_getNFCInstance(&status)
                                   : form == Normalization::D  ? unorm2_getNFDInstance(&status)
                                   : form == Normalization::KC ? unorm2_getNFKCInstance(&status)
                                                               : unorm2_getNFKDInstance(&status);
  check(status);
  // Usually large enough; else ICU returns the length that is.
  Wide wide = wideOf(text), result(wide.size() * 4 + 16);
  auto run = [&] {
    status = U_ZERO_ERROR;
    return unorm2_normalize(normalizer, wide.data(), static_cast<int32_t>(wide.size()), result.data(),
                            static_cast<int32_t>(result.size()), &status);
  };
  int32_t length = run();
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    result.resize(static_cast<size_t>(length) + 1);
    length = run();
  }
  check(status);
  std::string narrow(static_cast<size_t>(length) * 3, '\0');
  int32_t bytes = 0;
  u_strToUTF8(narrow.data(), static_cast<int32_t>(narrow.size()), &bytes, result.data(), length, &status);
  check(status);
  narrow.resize(static_cast<size_t>(bytes));
  return narrow;
}

Regex::Regex(const std::string &pattern) {
  Wide wide = wideOf(pattern);
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  URegularExpression *regex = uregex_open(wide.data(), static_cast<int32_t>(wide.size()), 0, &place, &status);
  compiled = {regex, [](void *each) { uregex_close(static_cast<URegularExpression *>(each)); }};
  if (U_FAILURE(status))
    throw std::invalid_argument(u_errorName(status));
}

void Regex::forEachMatch(std::string_view text, const std::function<void(size_t, size_t)> &f) const {
  auto *regex = static_cast<URegularExpression *>(compiled.get());
  UErrorCode status = U_ZERO_ERROR;
  // A UText over UTF-8, so that positions are bytes.
  std::unique_ptr<UText, decltype(&utext_close)> view(
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), utext_close);
  check(status);
  uregex_setUText(regex, view.get(), &status);
  while (uregex_findNext(regex, &status)) {
    auto begin = static_cast<size_t>(uregex_start64(regex, 0, &status));
    auto end = static_cast<size_t>(uregex_end64(regex, 0, &status));
    if (begin < end)
      f(begin, end);
  }
  check(status);
}

} // namespace plc::text

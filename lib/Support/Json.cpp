//===- Json.cpp - JSON from outside, and the place of its errors --------------===//
#include "plc/Support/Json.h"

namespace plc {

using nlohmann::json;

namespace {

/// Reads over a text for its first error alone: the exceptions of `json::parse` know no place of a number that
/// no type holds.
struct FindError : nlohmann::json_sax<json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string &token, const json::exception &) override {
    offset = position - std::min(position, token.size());
    number = token;
    return false;
  }

  size_t offset = 0;
  std::string number;
};

constexpr size_t mostLevels = 256; // more than any file means

/// Whoever writes a value out, copies it or compares it recurses into it, and a file may nest deeper than the stack is.
/// Brackets count outside of strings; what is no JSON is left to the parser.
void checkNesting(std::string_view text) {
  size_t levels = 0;
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"')
      inString = !inString;
    else if (inString)
      at += c == '\\'; // what it escapes ends no string
    else if (c == ']' || c == '}')
      levels -= levels > 0;
    else if ((c == '[' || c == '{') && ++levels > mostLevels)
      throw JsonError("nests values in more than " + std::to_string(mostLevels) + " levels", at);
  }
}

} // namespace

json parseJson(std::string_view text, const json::parser_callback_t &seen) {
  checkNesting(text);
  try {
    return json::parse(text, seen);
  } catch (const json::parse_error &error) {
    throw JsonError("is not JSON", error.byte);
  } catch (const json::out_of_range &) {
    FindError found;
    json::sax_parse(text, &found);
    throw JsonError("has the number " + found.number + ", which no type holds", found.offset);
  }
}

} // namespace plc

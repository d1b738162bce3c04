//===- Json.cpp - JSON from outside, and the place of its errors ----------===//
#include "plc/Support/Json.h"

namespace plc {

using nlohmann::json;

namespace {

/// Parses a text only to find the place of a number that no type holds, which exceptions of `json::parse` do not have.
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

constexpr size_t mostLevels = 256; // more than any real file, and far from the end of the stack

/// Limits nesting, because code that copies, compares or writes a value recurses, and a file may nest deeper than the
/// stack. Counts brackets outside of strings; other errors are left to the parser.
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

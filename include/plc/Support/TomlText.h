//===- TomlText.h - a TOML file whose errors have places --------*- C++ -*-===//
//
// For files that the runtime's tools read: clusters, maps of names. Without LLVM; includers link toml++.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_SUPPORT_TOMLTEXT_H
#define PLC_SUPPORT_TOMLTEXT_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

// The header alone, without the library, aborts on some malformed files.
#define TOML_HEADER_ONLY 0
#define TOML_SHARED_LIB 1
#include <toml++/toml.h>

namespace plc {

/// An error and its position, counted from 1, in bytes.
struct TomlError {
  int64_t line = 0, column = 0;
  std::string text;
};

/// A TOML text with helpers for errors at the places of its nodes. All members throw TomlError.
class TomlText {
public:
  explicit TomlText(const std::string &text) : text(text) {}

  /// The whole text.
  toml::table parse() const {
    try {
      return toml::parse(std::string_view(text));
    } catch (const toml::parse_error &error) {
      std::string what(error.description());
      if (what.starts_with("Error "))
        what = what.substr(6);
      throw errorAt(error.source().begin, what);
    }
  }

  TomlError errorAt(toml::source_position at, std::string what) const {
    return {at.line, static_cast<int64_t>(byteOf(at) - beginOf(at.line)) + 1, std::move(what)};
  }

  /// A value as it is written, up to the end of its first line.
  std::string written(const toml::node &node) const {
    size_t begin = byteOf(node.source().begin), end = byteOf(node.source().end);
    std::string value = text.substr(begin, std::min(end - begin, text.find('\n', begin) - begin));
    return value.substr(0, value.find_last_not_of(" \t\r") + 1);
  }

  [[noreturn]] void fail(const toml::node &node, std::string what) const {
    throw errorAt(node.source().begin, std::move(what));
  }

  /// Throws for a key that a table must not have.
  void checkKeys(const toml::table &table, std::initializer_list<const char *> known, const char *what) const {
    for (auto &&[key, node] : table)
      if (std::none_of(known.begin(), known.end(), [&](const char *each) { return key.str() == each; })) {
        std::string names;
        for (const char *each : known)
          names += (names.empty() ? "'" : ", '") + std::string(each) + "'";
        throw errorAt(key.source().begin,
                      "unknown key '" + std::string(key.str()) + "' of " + what + ", expected " + names);
      }
  }

private:
  size_t beginOf(uint32_t line) const {
    size_t begin = 0;
    for (uint32_t each = 1; each < line; ++each)
      begin = text.find('\n', begin) + 1;
    return begin;
  }

  /// The byte of a position: TOML's columns count characters.
  size_t byteOf(toml::source_position at) const {
    size_t location = beginOf(at.line);
    for (uint32_t column = 1; column < at.column && location < text.size(); ++column)
      do
        ++location;
      while (location < text.size() && (static_cast<unsigned char>(text[location]) & 0xc0) == 0x80);
    return location;
  }

  const std::string &text;
};

} // namespace plc

#endif

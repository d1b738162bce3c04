//===- TomlText.h - a TOML file whose errors have places --------*- C++ -*-===//
//
// For files that the runtime's tools read: clusters, maps of names. Free of LLVM; who includes it links toml++.
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

/// What is wrong, and where, counted from 1, in bytes.
struct TomlError {
  int64_t line = 0, column = 0;
  std::string text;
};

class TomlText {
public:
  explicit TomlText(const std::string &text) : text(text) {}

  /// Throws TomlError, as everything here does.
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

  /// A value as the file has it, as far as its first line goes.
  std::string written(const toml::node &node) const {
    size_t begin = byteOf(node.source().begin), end = byteOf(node.source().end);
    std::string value = text.substr(begin, std::min(end - begin, text.find('\n', begin) - begin));
    return value.substr(0, value.find_last_not_of(" \t\r") + 1);
  }

  [[noreturn]] void fail(const toml::node &node, std::string what) const {
    throw errorAt(node.source().begin, std::move(what));
  }

  /// Refuses keys that a table does not have.
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

  /// TOML's columns count characters, ours bytes.
  size_t byteOf(toml::source_position at) const {
    size_t place = beginOf(at.line);
    for (uint32_t column = 1; column < at.column && place < text.size(); ++column)
      do
        ++place;
      while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xc0) == 0x80);
    return place;
  }

  const std::string &text;
};

} // namespace plc

#endif

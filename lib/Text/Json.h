// A value of tokenizer.json with its path, so that errors name it.
#ifndef PLC_TEXT_JSON_H
#define PLC_TEXT_JSON_H

#include "plc/Runtime/Base/Error.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace plc::text {

/// A value of a tokenizer.json and its path in there. Readers throw fileError with that path.
class Json {
public:
  Json(const std::string &file, const nlohmann::json &value, std::string path = "")
      : file(&file), value(&value), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw runtime::fileError(*file, (path.empty() ? "it" : "'" + path + "'") + " " + what);
  }

  bool isNull() const { return value->is_null(); }
  bool isText() const { return value->is_string(); }
  bool isObject() const { return value->is_object(); }
  /// A member that exists and is not null.
  std::optional<Json> find(const std::string &key) const {
    if (!value->is_object())
      fail("is no object");
    auto found = value->find(key);
    if (found == value->end() || found->is_null())
      return std::nullopt;
    return Json(*file, *found, path.empty() ? key : path + "." + key);
  }
  Json at(const std::string &key) const {
    if (auto found = find(key))
      return *found;
    fail("has no '" + key + "'");
  }

  std::string text() const {
    if (!value->is_string())
      fail("is no string");
    return value->get<std::string>();
  }
  /// An integer from 0 to 2^31 - 1.
  int64_t number() const {
    if (!value->is_number_unsigned() || value->get<uint64_t>() > 0x7fffffff)
      fail("is no integer from 0 to 2147483647");
    return value->get<int64_t>();
  }
  bool truth() const {
    if (!value->is_boolean())
      fail("is neither true nor false");
    return value->get<bool>();
  }

  std::string textOr(const std::string &key, const std::string &otherwise) const {
    auto found = find(key);
    return found ? found->text() : otherwise;
  }
  bool truthOr(const std::string &key, bool otherwise) const {
    auto found = find(key);
    return found ? found->truth() : otherwise;
  }

  std::vector<Json> elements() const {
    if (!value->is_array())
      fail("is no list");
    std::vector<Json> all;
    for (size_t i = 0; i < value->size(); ++i)
      all.emplace_back(*file, (*value)[i], path + "[" + std::to_string(i) + "]");
    return all;
  }
  std::vector<std::pair<std::string, Json>> entries() const {
    if (!value->is_object())
      fail("is no object");
    std::vector<std::pair<std::string, Json>> all;
    for (auto &[key, each] : value->items())
      all.emplace_back(key, Json(*file, each, path + "." + key));
    return all;
  }

  /// The row of a table that the member 'type' names.
  template <typename Row, size_t size>
  const Row &choose(const Row (&rows)[size]) const {
    return at("type").chooseText(rows);
  }
  /// The row of a table that this text names.
  template <typename Row, size_t size>
  const Row &chooseText(const Row (&rows)[size]) const {
    std::string names, given = text();
    for (const Row &row : rows) {
      if (given == row.name)
        return row;
      names += (names.empty() ? "'" : ", '") + std::string(row.name) + "'";
    }
    fail("is '" + given + "', expected one of " + names);
  }

private:
  const std::string *file;
  const nlohmann::json *value;
  std::string path;
};

} // namespace plc::text

#endif

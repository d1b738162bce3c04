// Reads values of a parsed JSON text; an error names the value by its path, as "model.vocab[3]".
#ifndef PLC_SUPPORT_JSONNODE_H
#define PLC_SUPPORT_JSONNODE_H

#include "plc/Support/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plc {

/// What is wrong with a value: "is not a string". Whoever knows the file adds its name and the path.
struct JsonPathError : std::runtime_error {
  JsonPathError(std::string path, const std::string &text) : std::runtime_error(text), path(std::move(path)) {}
  std::string path; ///< from the root; empty: the root itself
};

/// A value in a parsed text, which must outlive it. A copy costs two pointers: the path is searched for once there is
/// an error. Readers throw JsonPathError where the value is of another type.
class JsonNode {
public:
  explicit JsonNode(const nlohmann::json &root) : JsonNode(root, root) {}

  /// The member of an object; an error if there is none.
  JsonNode operator[](const std::string &key) const;
  /// The member of an object, if there is one that is not null.
  std::optional<JsonNode> find(const std::string &key) const;
  /// Whether it is an object with this member, be it null.
  bool has(const std::string &key) const { return value->is_object() && value->contains(key); }

  bool isNull() const { return value->is_null(); }
  bool isString() const { return value->is_string(); }
  std::string string() const;
  bool boolean() const;
  double number() const;
  int64_t integer(int64_t low, int64_t high) const;
  /// Of a member; `otherwise` if there is none, or null.
  std::string stringOr(const std::string &key, const std::string &otherwise) const;
  bool booleanOr(const std::string &key, bool otherwise) const;

  std::vector<JsonNode> elements() const;
  /// The members of an object, by key.
  std::vector<std::pair<std::string, JsonNode>> members() const;
  /// What `read` makes of each element.
  template <class Read>
  auto list(Read read) const {
    requireList();
    std::vector<decltype(read(*this))> results;
    results.reserve(value->size());
    for (const nlohmann::json &element : *value)
      results.push_back(read(JsonNode(*root, element)));
    return results;
  }
  /// The row of a table whose name this string is.
  template <typename Row, size_t size>
  const Row &choose(const Row (&rows)[size]) const {
    std::string names, given = string();
    for (const Row &row : rows) {
      if (given == row.name)
        return row;
      names += (names.empty() ? "'" : ", '") + std::string(row.name) + "'";
    }
    fail("is '" + given + "', expected one of " + names);
  }

  /// The value as text.
  std::string dump() const { return value->dump(); }

  [[noreturn]] void fail(const std::string &text) const;

private:
  JsonNode(const nlohmann::json &root, const nlohmann::json &value) : root(&root), value(&value) {}
  void requireObject() const;
  void requireList() const;

  const nlohmann::json *root, *value;
};

} // namespace plc

#endif

//===- JsonNode.cpp - values of JSON, and their paths in errors -----------===//
#include "plc/Support/JsonNode.h"

namespace plc {

using nlohmann::json;

/// Appends the path from a value to another one in it; false if it is not in it.
static bool findPath(const json &from, const json &to, std::string &path) {
  if (&from == &to)
    return true;
  size_t length = path.size(), index = 0;
  for (auto &[key, member] : from.items()) {
    if (from.is_array())
      path += "[" + std::to_string(index++) + "]";
    else
      path += (path.empty() ? "" : ".") + key;
    if (member.is_structured() || &member == &to)
      if (findPath(member, to, path))
        return true;
    path.resize(length);
  }
  return false;
}

void JsonNode::fail(const std::string &text) const {
  std::string path;
  findPath(*root, *value, path);
  throw JsonPathError(path, text);
}

void JsonNode::requireObject() const {
  if (!value->is_object())
    fail("is not an object");
}

void JsonNode::requireList() const {
  if (!value->is_array())
    fail("is not a list");
}

JsonNode JsonNode::operator[](const std::string &key) const {
  requireObject();
  auto found = value->find(key);
  if (found == value->end())
    fail("has no '" + key + "'");
  return {*root, *found};
}

std::optional<JsonNode> JsonNode::find(const std::string &key) const {
  requireObject();
  auto found = value->find(key);
  if (found == value->end() || found->is_null())
    return std::nullopt;
  return JsonNode(*root, *found);
}

std::string JsonNode::string() const {
  if (!value->is_string())
    fail("is not a string");
  return value->get<std::string>();
}

bool JsonNode::boolean() const {
  if (!value->is_boolean())
    fail("is neither true nor false");
  return value->get<bool>();
}

double JsonNode::number() const {
  if (!value->is_number())
    fail("is not a number");
  return value->get<double>();
}

int64_t JsonNode::integer(int64_t low, int64_t high) const {
  if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
    fail("is not an integer");
  auto number = value->get<int64_t>();
  if (number < low || number > high)
    fail("is " + std::to_string(number) + ", expected " + std::to_string(low) + " to " + std::to_string(high));
  return number;
}

std::string JsonNode::stringOr(const std::string &key, const std::string &otherwise) const {
  auto found = find(key);
  return found ? found->string() : otherwise;
}

bool JsonNode::booleanOr(const std::string &key, bool otherwise) const {
  auto found = find(key);
  return found ? found->boolean() : otherwise;
}

std::vector<JsonNode> JsonNode::elements() const {
  return list([](const JsonNode &element) { return element; });
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  requireObject();
  std::vector<std::pair<std::string, JsonNode>> all;
  for (auto &[key, member] : value->items())
    all.emplace_back(key, JsonNode(*root, member));
  return all;
}

} // namespace plc

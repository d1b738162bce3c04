// Reads sizes from the `config.json` of a checkpoint, by a map.
#include "plc/Support/ConfigSizes.h"

#include "plc/Support/Json.h"
#include "plc/Support/TomlText.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plc {

using nlohmann::json;

namespace {

/// The value of `key`, or of `b` in object `a` for `a.b`; nullptr if there is none.
const json *find(const json &config, std::string_view key) {
  const json *value = &config;
  while (true) {
    size_t dot = key.find('.');
    auto found = value->is_object() ? value->find(std::string(key.substr(0, dot))) : value->end();
    if (found == value->end() || found->is_null())
      return nullptr;
    value = &*found;
    if (dot == key.npos)
      return value;
    key.remove_prefix(dot + 1);
  }
}

/// A size: an integer, also one that is written as a real, or the number of entries of an object.
std::optional<int64_t> sizeOf(const json &value) {
  if (value.is_object())
    return static_cast<int64_t>(value.size());
  if (value.is_number_float()) {
    // Beyond 2^53 a real no longer tells integers apart.
    double real = value.get<double>();
    bool fits = real >= 0 && real <= 0x1p53 && std::floor(real) == real;
    return fits ? std::optional(static_cast<int64_t>(real)) : std::nullopt;
  }
  if (!value.is_number_unsigned() || value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return value.get<int64_t>();
}

/// The tables of a map, applied to a file.
class Reader : TomlText {
public:
  Reader(const NamedText &config, const NamedText &map) : TomlText(map.text), file(config.file), map(map.file) {}

  std::vector<std::string> read(const std::string &text) {
    toml::table root = parse();
    const toml::table *table = tableOf(root, "sizes"), *constants = tableOf(root, "constants");
    if (!table)
      throw ConfigError(map, "has no table '[sizes]', which says what '--config' sets");
    for (auto &&[key, node] : *table)
      readSize(key, node);
    if (constants)
      for (auto &&[key, node] : *constants)
        readConstant(key, node);
    config = readJson(text);
    std::vector<std::string> sizes;
    for (const Size &each : wanted)
      if (std::optional<int64_t> size = findSize(each))
        sizes.push_back(each.name + "=" + std::to_string(*size));
    for (const Constant &each : known)
      check(each);
    return sizes;
  }

  std::string location(int64_t line, int64_t column) const {
    return map + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

private:
  struct Size {
    std::string name, location;
    std::vector<std::string> keys; // the first that the file has
    bool optional = false;
  };
  struct Constant {
    std::string key, location;
    std::vector<json> values; // one of these, or absent
  };

  const toml::table *tableOf(const toml::table &root, const char *key) const {
    const toml::node *node = root.get(key);
    if (node && !node->is_table())
      fail(*node, "'" + std::string(key) + "' needs a table");
    return node ? node->as_table() : nullptr;
  }

  std::string locationOf(const toml::key &key) const {
    TomlError at = errorAt(key.source().begin, "");
    return location(at.line, at.column);
  }

  // The value, or those of a list.
  static std::vector<const toml::node *> listed(const toml::node &node) {
    std::vector<const toml::node *> nodes;
    if (!node.is_array())
      return {&node};
    for (const toml::node &each : *node.as_array())
      nodes.push_back(&each);
    return nodes;
  }

  void readSize(const toml::key &key, const toml::node &node) {
    Size size{std::string(key.str()), locationOf(key), {}};
    const toml::node *from = &node;
    if (const toml::table *fields = node.as_table()) {
      checkKeys(*fields, {"from", "optional"}, "a size");
      const toml::node *optional = fields->get("optional");
      if (!(from = fields->get("from")))
        fail(node, "a size needs 'from', its key in 'config.json'");
      if (optional && !optional->is_boolean())
        fail(*optional, "'optional' needs true or false");
      size.optional = optional && *optional->value<bool>();
    }
    for (const toml::node *each : listed(*from))
      if (auto name = each->value_exact<std::string>())
        size.keys.push_back(*name);
      else
        fail(*each, "a size needs a key of 'config.json' or a list of keys");
    if (size.keys.empty())
      fail(*from, "a size needs a key of 'config.json' or a list of keys");
    wanted.push_back(size);
  }

  void readConstant(const toml::key &key, const toml::node &node) {
    Constant constant{std::string(key.str()), locationOf(key), {}};
    for (const toml::node *each : listed(node))
      if (each->is_boolean())
        constant.values.push_back(*each->value<bool>());
      else if (each->is_number())
        constant.values.push_back(*each->value<double>());
      else if (each->is_string())
        constant.values.push_back(*each->value<std::string>());
      else
        fail(*each, "a constant needs a number, a text, true, false, or a list of these");
    known.push_back(constant);
  }

  json readJson(const std::string &text) const {
    json value;
    try {
      value = parseJson(text);
    } catch (const JsonError &error) {
      throw ConfigError(file, std::string(error.what()) + " (offset " + std::to_string(error.offset) + ")");
    }
    if (!value.is_object())
      throw ConfigError(file, "is not a JSON object");
    return value;
  }

  std::optional<int64_t> findSize(const Size &size) const {
    std::string names, note = size.location + ": the map asks for it here";
    for (const std::string &key : size.keys) {
      names += (names.empty() ? "'" : " or '") + key + "'";
      const json *found = find(config, key);
      if (!found)
        continue;
      if (auto value = sizeOf(*found))
        return value;
      throw ConfigError(file,
                        "'" + key + "' is " + found->dump().substr(0, 60) +
                            ", expected an integer from 0 to 2^63 - 1 for the size '" + size.name + "'",
                        note);
    }
    if (size.optional)
      return std::nullopt;
    throw ConfigError(file, "has no " + names + ", which sets the size '" + size.name + "'", note);
  }

  void check(const Constant &constant) const {
    const json *found = find(config, constant.key);
    if (!found || std::find(constant.values.begin(), constant.values.end(), *found) != constant.values.end())
      return;
    std::string values;
    for (const json &each : constant.values)
      values += (values.empty() ? "" : " or ") + each.dump();
    throw ConfigError(file,
                      "'" + constant.key + "' is " + found->dump().substr(0, 60) + ", but the model is for " +
                          (values.empty() ? "files without it" : values) + "; change its rules, and the map",
                      constant.location + ": the map has its values here");
  }

  const std::string &file, &map;
  std::vector<Size> wanted;
  std::vector<Constant> known;
  json config;
};

} // namespace

std::vector<std::string> readConfigSizes(const NamedText &config, const NamedText &map) {
  Reader reader(config, map);
  try {
    return reader.read(config.text);
  } catch (const TomlError &error) {
    throw ConfigError(reader.location(error.line, error.column), error.text);
  }
}

} // namespace plc

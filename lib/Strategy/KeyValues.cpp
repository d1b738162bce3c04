//===- KeyValues.cpp - the values that a key may have ---------------------===//
#include "KeyReader.h"
#include "plc/Support/Nearest.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace plc::strategy;
using llvm::StringRef;
using Type = Key::Type;

static std::string typeName(Type type) {
  switch (type) {
  case Type::Bool: return "true or false";
  case Type::Integer: return "an integer";
  case Type::Number: return "a number";
  case Type::Integers: return "a list of integers";
  case Type::Counts: return "a table of integers, such as { F = 2 }";
  case Type::Bytes: return "a size such as \"512MiB\", in B, KiB, MiB, GiB or TiB";
  case Type::Text: return "a string";
  }
  llvm_unreachable("all types are named");
}

/// Reads a size such as "512MiB"; refuses zero and sizes above 2^63 - 1.
static std::optional<int64_t> parseBytes(StringRef text) {
  int64_t factor = 1;
  for (auto [suffix, shift] : {std::pair("KiB", 10), {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"B", 0}})
    if (text.consume_back(suffix)) {
      factor = int64_t(1) << shift;
      break;
    }
  int64_t count;
  if (text.trim().getAsInteger(10, count) || count <= 0 || count > std::numeric_limits<int64_t>::max() / factor)
    return std::nullopt;
  return count * factor;
}

static std::optional<Value> convertList(const toml::node &node) {
  std::vector<int64_t> list;
  if (!node.is_array() || node.as_array()->empty())
    return std::nullopt;
  for (const toml::node &element : *node.as_array()) {
    auto value = element.value_exact<int64_t>();
    if (!value)
      return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

static std::optional<Value> convertTable(const toml::node &node) {
  Counts counts;
  if (!node.is_table() || node.as_table()->empty())
    return std::nullopt;
  for (auto &&[name, element] : *node.as_table()) {
    auto value = element.value_exact<int64_t>();
    if (!value)
      return std::nullopt;
    counts[std::string(name.str())] = *value;
  }
  return counts;
}

static std::optional<Value> convertType(Type type, const toml::node &node) {
  if (type == Type::Bool && node.is_boolean())
    return *node.value_exact<bool>();
  if (type == Type::Integer && node.is_integer())
    return *node.value_exact<int64_t>();
  if (type == Type::Number && node.is_floating_point())
    return *node.value_exact<double>();
  if (type == Type::Number && node.is_integer()) // large integers are rounded
    return static_cast<double>(*node.value_exact<int64_t>());
  if (type == Type::Text && node.is_string())
    return *node.value_exact<std::string>();
  if (type == Type::Integers)
    return convertList(node);
  if (type == Type::Counts)
    return convertTable(node);
  if (type == Type::Bytes && node.is_string())
    if (auto bytes = parseBytes(*node.value_exact<std::string>()))
      return *bytes;
  return std::nullopt;
}

/// Whether a number is in the key's range; NaN is in none.
static bool isInRange(const Key &key, double value, std::string &wrong) {
  bool enough = key.exclusive ? value > key.least : value >= key.least;
  if (enough && value <= key.most)
    return true;
  bool tooMuch = value > key.most;
  Value limit = tooMuch ? key.most : key.least;
  wrong = (tooMuch ? "at most " : key.exclusive ? "more than " : "at least ") + print(limit);
  return false;
}

static bool checkEntry(const Key &key, int64_t entry, std::string &wrong) {
  std::string range;
  if (isInRange(key, double(entry), range))
    return true;
  wrong = "'" + std::string(key.path) + "' has " + std::to_string(entry) + " but each entry must be " + range;
  return false;
}

static bool checkRange(const Key &key, const Value &value, std::string &wrong) {
  std::string path = "'" + std::string(key.path) + "'", range;
  if (auto *list = std::get_if<std::vector<int64_t>>(&value))
    return llvm::all_of(*list, [&](int64_t entry) { return checkEntry(key, entry, wrong); });
  if (auto *counts = std::get_if<Counts>(&value))
    return llvm::all_of(*counts, [&](const auto &entry) { return checkEntry(key, entry.second, wrong); });
  if (key.type != Type::Integer && key.type != Type::Number)
    return true;
  double number = key.type == Type::Integer ? double(std::get<int64_t>(value)) : std::get<double>(value);
  if (isInRange(key, number, range))
    return true;
  wrong = path + " is " + print(value) + " but must be " + range;
  return false;
}

/// A remedy for a misspelt word: the nearest value of the key, if one is near.
static std::string suggestion(const Key &key, const std::string &word) {
  plc::Nearest nearest(word);
  for (const Value &value : key.supported)
    nearest.offer(std::get<std::string>(value));
  return nearest.found().empty() ? "" : "; the nearest is \"" + std::string(nearest.found()) + "\"";
}

bool plc::strategy::isSupported(const Key &key, const Value &value, std::string &wrong, const std::string &origin) {
  if (!checkRange(key, value, wrong))
    return false;
  if (key.supported.empty() || llvm::is_contained(key.supported, value))
    return true;
  bool isWord = key.type == Type::Text;
  std::vector<std::string> names;
  for (const Value &v : key.supported)
    names.push_back(print(v));
  wrong =
      "'" + std::string(key.path) + " = " + print(value) + "'" + origin +
      (isWord ? " is no value of this key" + suggestion(key, std::get<std::string>(value)) : " is not supported yet") +
      "; supported: " + llvm::join(names, ", ");
  return false;
}

std::optional<Value> plc::strategy::convert(const Key &key, const toml::node &node, std::string &wrong) {
  if (key.word && node.value_exact<std::string>() == key.word)
    return key.initial;
  std::optional<Value> value = convertType(key.type, node);
  if (!value)
    wrong = "'" + std::string(key.path) + "' needs " + typeName(key.type) +
            (key.word ? " or \"" + std::string(key.word) + "\"" : "");
  else if (!isSupported(key, *value, wrong))
    return std::nullopt;
  return value;
}

std::string plc::strategy::print(const Key &key, const Value &value) {
  return print(key.word && value == key.initial ? Value(std::string(key.word)) : value);
}

std::string plc::strategy::print(const Value &value) {
  struct Printer {
    std::string operator()(bool v) { return v ? "true" : "false"; }
    std::string operator()(int64_t v) { return std::to_string(v); }
    std::string operator()(double v) {
      char buffer[40];
      auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
      std::string text(buffer, end);
      return text == "-0" ? "-0.0" : text; // TOML has no integer -0
    }
    std::string operator()(const std::string &v) {
      std::string text = "\"";
      for (char each : v)
        text += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
      return text + "\"";
    }
    std::string operator()(const std::vector<int64_t> &v) {
      return "[" + llvm::join(llvm::map_range(v, [](int64_t i) { return std::to_string(i); }), ", ") + "]";
    }
    std::string operator()(const Counts &v) {
      return "{ " +
             llvm::join(llvm::map_range(
                            v, [](auto &entry) { return nameOf(entry.first) + " = " + std::to_string(entry.second); }),
                        ", ") +
             " }";
    }
    // A TOML key, without quotes where TOML allows it.
    static std::string nameOf(const std::string &name) {
      bool isBare = llvm::all_of(name, [](char each) { return llvm::isAlnum(each) || each == '_' || each == '-'; });
      return isBare && !name.empty() ? name : Printer()(name);
    }
  };
  return std::visit(Printer(), value);
}

bool plc::strategy::isApplicable(const std::map<std::string, Setting> &settings, const Key &key) {
  return !key.whenKey ||
         llvm::is_contained(key.whenValues, std::get<std::string>(settings.find(key.whenKey)->second.value));
}

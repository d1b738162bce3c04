//===- Strategy.cpp - read a strategy --------------------------------------===//
#include "plc/Driver/Strategy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#define TOML_HEADER_ONLY 0
#define TOML_SHARED_LIB 1
#include <toml++/toml.h>

#include <charconv>
#include <numeric>

using namespace plc::driver;
using llvm::StringRef;
using llvm::Twine;

namespace plc::driver {

/// Reads files and sets into a strategy, and reports what is wrong with them.
class StrategyReader {
public:
  StrategyReader(StringRef tool, llvm::raw_ostream &errors) : tool(tool), errors(errors) {
    for (const Key &key : allKeys())
      strategy.settings[key.path] = {key.initial, "default"};
  }

  void readFile(StringRef path);
  void readSet(StringRef set);
  void checkCombinations();

  Strategy strategy;
  bool failed = false;

private:
  void readTable(const toml::table &table, const std::string &prefix);
  void readValue(const std::string &path, const toml::node &node, const std::string &origin);
  void error(toml::source_position at, const Twine &message);
  void checkMeaning();
  void checkOptimizer();

  /// The value of a node for a key, or what is wrong with it.
  std::optional<Value> convert(const Key &key, const toml::node &node, std::string &wrong);

  StringRef tool;
  llvm::raw_ostream &errors;
  llvm::SourceMgr sources;
  StringRef set; // the `--set` being read, if any

  /// Where a key's value was given.
  struct Given {
    toml::source_position at;
    StringRef set;
  };
  std::map<std::string, Given> given;
};

void StrategyReader::error(toml::source_position at, const Twine &message) {
  failed = true;
  if (set.data() || !at || !sources.getNumBuffers()) {
    errors << tool << ": error: " << (set.data() ? "--set " + set.str() + ": " : "") << message << "\n";
    return;
  }
  llvm::SMLoc place = sources.FindLocForLineAndColumn(1, at.line, at.column);
  sources.PrintMessage(errors, place, llvm::SourceMgr::DK_Error, message);
}

void StrategyReader::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    error({}, "cannot read strategy '" + path + "': " + buffer.getError().message());
    return;
  }
  std::string_view text = (*buffer)->getBuffer();
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  try {
    readTable(toml::parse(text, path.str()), "");
  } catch (const toml::parse_error &e) {
    error(e.source().begin, StringRef(e.description()));
  }
}

/// Whether keys stand under this path, as in a table.
static bool isGroup(const std::string &path) {
  return llvm::any_of(allKeys(), [&](const Key &key) { return StringRef(key.path).starts_with(path + "."); });
}

void StrategyReader::readSet(StringRef text) {
  set = text;
  auto [path, value] = text.split('=');
  if (path.size() == text.size())
    return error({}, "needs KEY=VALUE");
  try {
    toml::table table = [&] {
      try {
        toml::table parsed = toml::parse(("v = " + value).str());
        return parsed.size() == 1 ? parsed : toml::table{{"v", value.str()}};
      } catch (const toml::parse_error &) { // a bare word is a string
        return toml::table{{"v", value.str()}};
      }
    }();
    std::string key = path.trim().str();
    if (isGroup(key) && table.get("v")->is_table())
      readTable(*table.get("v")->as_table(), key + ".");
    else
      readValue(key, *table.get("v"), "--set");
  } catch (const toml::parse_error &e) {
    error({}, StringRef(e.description()));
  }
  set = {};
}

void StrategyReader::readTable(const toml::table &table, const std::string &prefix) {
  // In the order of the text, so that errors are.
  std::vector<std::pair<const toml::key *, const toml::node *>> entries;
  for (auto &&[key, node] : table)
    entries.push_back({&key, &node});
  llvm::sort(entries, [](auto &a, auto &b) {
    auto pa = a.first->source().begin, pb = b.first->source().begin;
    return std::tie(pa.line, pa.column) < std::tie(pb.line, pb.column);
  });
  for (auto &[key, node] : entries) {
    std::string path = prefix + std::string(key->str());
    if (isGroup(path) && node->is_table())
      readTable(*node->as_table(), path + ".");
    else if (!findKey(path))
      error(key->source().begin, "unknown key '" + path + "'; the nearest is '" + nearestKey(path) + "'");
    else
      readValue(path, *node, !set.empty() ? "--set"
                                          : sources.getMemoryBuffer(1)->getBufferIdentifier().str() + ":" +
                                                std::to_string(key->source().begin.line));
  }
}

static std::string typeName(Key::Type type) {
  switch (type) {
  case Key::Type::Bool: return "true or false";
  case Key::Type::Integer: return "an integer";
  case Key::Type::Number: return "a number";
  case Key::Type::Integers: return "a list of integers";
  case Key::Type::Bytes: return "a size such as \"512MiB\"";
  default: return "a string";
  }
}

/// "512MiB" and the like.
static std::optional<int64_t> parseBytes(StringRef text) {
  int64_t factor = 1;
  for (auto [suffix, shift] : {std::pair("KiB", 10), {"MiB", 20}, {"GiB", 30}, {"B", 0}})
    if (text.consume_back(suffix)) {
      factor = int64_t(1) << shift;
      break;
    }
  int64_t count;
  if (text.trim().getAsInteger(10, count) || count <= 0 || count > std::numeric_limits<int64_t>::max() / factor)
    return std::nullopt;
  return count * factor;
}

std::optional<Value> StrategyReader::convert(const Key &key, const toml::node &node, std::string &wrong) {
  using Type = Key::Type;
  wrong = "'" + std::string(key.path) + "' needs " + typeName(key.type);
  auto integers = [&]() -> std::optional<Value> {
    std::vector<int64_t> list;
    if (!node.is_array() || node.as_array()->empty())
      return std::nullopt;
    for (const toml::node &element : *node.as_array()) {
      auto value = element.value_exact<int64_t>();
      if (!value || *value < key.least)
        return std::nullopt;
      list.push_back(*value);
    }
    return list;
  };
  std::optional<Value> value;
  if (key.type == Type::Bool && node.is_boolean())
    value = *node.value_exact<bool>();
  else if (key.type == Type::Integer && node.is_integer())
    value = *node.value_exact<int64_t>();
  else if (key.type == Type::Number && node.is_number())
    value = *node.value<double>();
  else if (key.type == Type::Text && node.is_string())
    value = *node.value_exact<std::string>();
  else if (key.type == Type::Bytes && node.is_string()) {
    if (auto bytes = parseBytes(*node.value_exact<std::string>()))
      value = *bytes;
  } else if (key.type == Type::Integers)
    value = integers();
  if (!value)
    return std::nullopt;

  double numeric = key.type == Type::Integer  ? double(std::get<int64_t>(*value))
                   : key.type == Type::Number ? std::get<double>(*value)
                                              : key.least;
  bool enough = key.exclusive && key.type == Type::Number ? numeric > key.least : numeric >= key.least;
  bool tooMuch = numeric > key.most;
  if (!enough || tooMuch) {
    wrong = "'" + std::string(key.path) + "' is " + print(*value) + " but must be " +
            (tooMuch ? "at most " : key.exclusive ? "more than " : "at least ") +
            std::to_string(int64_t(tooMuch ? key.most : key.least));
    return std::nullopt;
  }
  if (key.supported.empty() || llvm::is_contained(key.supported, *value))
    return value;
  bool known = key.type != Type::Text || llvm::is_contained(key.refused, std::get<std::string>(*value));
  std::vector<std::string> names;
  for (const Value &v : key.supported)
    names.push_back(print(v));
  wrong = "'" + std::string(key.path) + " = " + print(*value) +
          (known ? "' is not supported yet; supported: " : "' is no value of this key; supported: ") +
          llvm::join(names, ", ");
  return std::nullopt;
}

void StrategyReader::readValue(const std::string &path, const toml::node &node, const std::string &origin) {
  const Key *key = findKey(path);
  toml::source_position at = node.source().begin;
  if (!key)
    return error(at, "unknown key '" + path + "'; the nearest is '" + nearestKey(path) + "'");
  if (key->type == Key::Type::Unsupported && key->whenKey)
    return error(at, "'" + path + "' belongs to '" + key->whenKey + " = \"" + key->whenValues.front() +
                         "\"' and would be ignored; that policy is not supported yet");
  if (key->type == Key::Type::Unsupported)
    return error(at, "'" + path + "' is not supported yet");
  std::string wrong;
  std::optional<Value> value = convert(*key, node, wrong);
  if (!value)
    return error(at, wrong);
  strategy.settings[path] = {*value, origin};
  given[path] = {at, set};
}

void StrategyReader::checkMeaning() {
  for (const Key &key : allKeys()) {
    auto found = given.find(key.path);
    if (found == given.end() || !key.whenKey)
      continue;
    const std::string &value = strategy.get<std::string>(key.whenKey);
    if (llvm::is_contained(key.whenValues, value))
      continue;
    set = found->second.set;
    error(found->second.at, "'" + Twine(key.path) + "' belongs to '" + key.whenKey + " = \"" +
                                llvm::join(key.whenValues, "\" or \"") + "\"' and would be ignored under \"" + value +
                                "\"");
    set = {};
  }
}

void StrategyReader::checkOptimizer() {
  for (const char *factor : {"optimizer.beta1", "optimizer.beta2", "optimizer.momentum"})
    if (!(strategy.get<double>(factor) < 1))
      error({}, "'" + Twine(factor) + "' is " + print(strategy.get<double>(factor)) + " but must be less than 1");
  const std::string &kind = strategy.get<std::string>("optimizer.schedule.kind");
  int64_t warmup = strategy.get<int64_t>("optimizer.schedule.warmup");
  int64_t total = strategy.get<int64_t>("optimizer.schedule.total");
  if (kind != "constant" && !total)
    error({}, "'optimizer.schedule.kind' is \"" + Twine(kind) + "\" but 'optimizer.schedule.total' is not given");
  else if (kind != "constant" && total <= warmup)
    error({}, "'optimizer.schedule.total' is " + Twine(total) + " but must be more than 'optimizer.schedule.warmup', " +
                  Twine(warmup));
}

void StrategyReader::checkCombinations() {
  if (failed)
    return;
  int64_t stages = strategy.get<int64_t>("parallelism.stages");
  auto &kind = strategy.settings["parallelism.kind"];
  if (stages > 1 && kind.origin == "default") // stages > 1 means a pipeline
    kind = {std::string("pipeline"), "parallelism.stages"};
  if (stages > 1 && std::get<std::string>(kind.value) == "none")
    error({}, "'parallelism.stages' is " + Twine(stages) + " but 'parallelism.kind' is \"none\"; write \"pipeline\"");
  auto &balance = strategy.get<std::vector<int64_t>>("parallelism.balance");
  if (!balance.empty() && int64_t(balance.size()) != stages)
    error({}, "'parallelism.balance' has " + Twine(balance.size()) + " entries but 'parallelism.stages' is " +
                  Twine(stages));
  auto &place = strategy.get<std::vector<int64_t>>("parallelism.place");
  if (!place.empty() && int64_t(place.size()) != stages)
    error({}, "'parallelism.place' has " + Twine(place.size()) + " entries but 'parallelism.stages' is " +
                  Twine(stages));
  checkMeaning();
  checkOptimizer();
}

} // namespace plc::driver

std::string plc::driver::print(const Value &value) {
  struct Printer {
    std::string operator()(bool v) { return v ? "true" : "false"; }
    std::string operator()(int64_t v) { return std::to_string(v); }
    std::string operator()(double v) {
      char buffer[40];
      auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
      return std::string(buffer, end);
    }
    std::string operator()(const std::string &v) { return "\"" + v + "\""; }
    std::string operator()(const std::vector<int64_t> &v) {
      return "[" + llvm::join(llvm::map_range(v, [](int64_t i) { return std::to_string(i); }), ", ") + "]";
    }
  };
  return std::visit(Printer(), value);
}

std::optional<Strategy> Strategy::load(StringRef tool, StringRef file, llvm::ArrayRef<std::string> sets,
                                       llvm::raw_ostream &errors) {
  StrategyReader reader(tool, errors);
  if (!file.empty())
    reader.readFile(file);
  for (const std::string &set : sets)
    reader.readSet(set);
  reader.checkCombinations();
  if (reader.failed)
    return std::nullopt;
  return std::move(reader.strategy);
}

/// Whether a key's default stands for none: it is no value that could be given.
static bool isNone(const Key &key) {
  if (key.type == Key::Type::Integers)
    return true;
  if (key.type == Key::Type::Number)
    return key.exclusive && std::get<double>(key.initial) <= key.least;
  return (key.type == Key::Type::Integer || key.type == Key::Type::Bytes) && std::get<int64_t>(key.initial) < key.least;
}

void Strategy::explain(llvm::raw_ostream &os) const {
  for (const Key &key : allKeys()) {
    if (key.type == Key::Type::Unsupported)
      continue;
    const Setting &setting = settings.find(key.path)->second;
    bool absent = setting.origin == "default" && isNone(key);
    os << llvm::left_justify(key.path, 30) << " = " << llvm::left_justify(absent ? "(none)" : print(setting.value), 12)
       << "  # " << setting.origin << "\n";
  }
}

// Reads a map of parameters from TOML.
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/ParameterMap.h"
#include "plc/Support/TomlText.h"

namespace plc::runtime {

namespace {

/// The grammar of a map. Each error has the position of the node that is wrong.
class Reader : TomlText {
public:
  using TomlText::TomlText;

  void read(ParameterMap &map) const {
    toml::table root = parse();
    checkKeys(root, {"prefix", "parameters", "bare", "ignore", "initial", "sizes", "constants"}, "a map of parameters");
    if (const toml::node *node = root.get("prefix"))
      for (const toml::node *each : wordsOf(*node, "prefix"))
        map.prefixes.push_back(word(*each, "prefix"));
    if (map.prefixes.empty())
      map.prefixes.push_back("");
    for (auto [key, list] :
         {std::pair("bare", &map.bare), std::pair("ignore", &map.ignore), std::pair("initial", &map.initial)})
      if (const toml::node *node = root.get(key))
        for (const toml::node *each : wordsOf(*node, key))
          list->push_back(pattern(*each, word(*each, key)));
    const toml::node *parameters = root.get("parameters");
    if (!parameters || !parameters->is_table())
      throw TomlError{1, 1, "a map needs a table '[parameters]'"};
    for (auto &&[key, node] : *parameters->as_table())
      map.rules.push_back(readRule(key, node));
    // toml++ sorts a table by its keys; rules are wanted in the order of the file.
    std::sort(map.rules.begin(), map.rules.end(), [](const ParameterRule &a, const ParameterRule &b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
  }

private:
  std::string word(const toml::node &node, const char *key) const {
    auto value = node.value_exact<std::string>();
    if (!value)
      fail(node, "'" + std::string(key) + "' needs a name or a list of names");
    return *value;
  }

  // A single name, or the names of a list.
  std::vector<const toml::node *> wordsOf(const toml::node &node, const char *key) const {
    if (!node.is_array())
      return {&node};
    std::vector<const toml::node *> words;
    for (const toml::node &each : *node.as_array())
      words.push_back(&each);
    if (words.empty())
      fail(node, "'" + std::string(key) + "' needs a name or a list of names");
    return words;
  }

  NamePattern pattern(const toml::node &node, const std::string &text) const {
    try {
      return NamePattern(text);
    } catch (const std::invalid_argument &wrong) {
      fail(node, wrong.what());
    }
  }

  void readFrom(const toml::node &node, ParameterRule &rule) const {
    for (const toml::node *each : wordsOf(node, "from")) {
      rule.from.push_back(pattern(*each, word(*each, "from")));
      if (!rule.stack.empty() && !rule.from.back().has(rule.stack))
        fail(*each,
             "'{" + rule.stack + "}', by which tensors are stacked, is not in '" + rule.from.back().text() + "'");
      if (std::string name = rule.from.back().firstNotIn(rule.parameter, rule.stack); !name.empty())
        fail(*each, "'{" + name + "}' is not in '" + rule.parameter.text() + "'");
    }
  }

  // The arguments of a transformation, checked against its row in the table.
  Turn readTurn(Turn::Kind kind, const toml::node &node) const {
    const auto &row = rowOf(kind);
    TomlError location = errorAt(node.source().begin, "'" + std::string(row.name) + "' needs " + row.form);
    Turn turn{kind, {}, location.line, location.column};
    if (node.is_boolean() && row.takesTrue && *node.value<bool>())
      return turn;
    const toml::array *numbers = node.as_array();
    if (!numbers || numbers->empty() || (row.numbers && numbers->size() != row.numbers))
      throw location;
    auto readNumber = [&](const toml::node &number, int64_t least) {
      auto value = number.value_exact<int64_t>();
      if (!value || *value < least)
        throw location;
      return *value;
    };
    bool grouped = kind == Turn::Kind::Reshape && numbers->front().is_array();
    for (const toml::node &each : *numbers) {
      if (!grouped) {
        turn.numbers.push_back(readNumber(each, -1));
        continue;
      }
      if (!each.is_array())
        throw location;
      turn.groups.emplace_back();
      for (const toml::node &axis : *each.as_array())
        turn.groups.back().push_back(readNumber(axis, 0));
    }
    return turn;
  }

  // Adds transformations in the order in which they are written, which is the order of application.
  void readTurns(const toml::table &fields, std::vector<Turn> &turns) const {
    size_t first = turns.size();
    for (size_t kind = 0; kind < Choice<Turn::Kind>::rows().size(); ++kind)
      if (const toml::node *node = fields.get(nameOfChoice(Turn::Kind(kind))))
        turns.push_back(readTurn(Turn::Kind(kind), *node));
    std::sort(turns.begin() + static_cast<int64_t>(first), turns.end(),
              [](const Turn &a, const Turn &b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); });
  }

  ParameterRule readRule(const toml::key &key, const toml::node &node) const {
    ParameterRule rule;
    TomlError location = errorAt(key.source().begin, "");
    rule.line = location.line;
    rule.column = location.column;
    try {
      rule.parameter = NamePattern(std::string(key.str()));
    } catch (const std::invalid_argument &wrong) {
      throw TomlError{location.line, location.column, wrong.what()};
    }
    if (!node.is_table()) {
      readFrom(node, rule);
      return rule;
    }
    const toml::table &fields = *node.as_table();
    checkKeys(fields, {"from", "stack", "frozen", "turns", "reshape", "slice", "split", "transpose"}, "a parameter");
    const toml::node *from = fields.get("from"), *frozen = fields.get("frozen"), *turns = fields.get("turns");
    if (!from)
      fail(node, "a parameter needs 'from', the tensor's name in the file");
    if (const toml::node *stack = fields.get("stack")) {
      rule.stack = stack->value_exact<std::string>().value_or("");
      if (rule.stack.empty() || rule.parameter.has(rule.stack))
        fail(*stack, "'stack' needs a name in braces of 'from' that '" + rule.parameter.text() + "' does not have");
    }
    readFrom(*from, rule);
    if (frozen && !frozen->is_boolean())
      fail(*frozen, "'frozen' needs true or false");
    rule.frozen = frozen && *frozen->value<bool>();
    readTurns(fields, rule.turns);
    if (!turns)
      return rule;
    if (!turns->is_array())
      fail(*turns, "'turns' needs a list of tables such as { reshape = [4, -1] }");
    for (const toml::node &each : *turns->as_array()) {
      if (!each.is_table())
        fail(each, "'turns' needs a list of tables such as { reshape = [4, -1] }");
      checkKeys(*each.as_table(), {"reshape", "slice", "split", "transpose"}, "'turns'");
      readTurns(*each.as_table(), rule.turns);
    }
    return rule;
  }
};

} // namespace

ParameterMap readParameterMap(const std::string &file, const std::string &toml) {
  ParameterMap map;
  map.file = file;
  try {
    Reader(toml).read(map);
  } catch (const TomlError &error) {
    throw Error(BadInput, map.location(error.line, error.column), error.text);
  }
  return map;
}

} // namespace plc::runtime

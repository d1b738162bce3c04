//===- Canon.cpp - the net of a graph -------------------------------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace plc;
using namespace plc::import;

std::string plc::import::placeOf(const SourceLine &line) {
  if (line.line == 0)
    return "";
  return " at " + line.file + ":" + std::to_string(line.line) + (line.text.empty() ? "" : ": '" + line.text + "'");
}

static std::string typeText(const TensorType &type) {
  std::string text = std::string(nameOf(type.type)) + "[";
  for (size_t i = 0; i < type.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(type.shape[i]);
  return text + "]";
}

/// "aten.add(f32[2, 3], f32[3])".
std::string plc::import::describe(const Node &node, const Graph &graph) {
  std::string text, operatorName = node.library + "." + node.op;
  auto add = [&](const ValueName &value) {
    if (auto found = graph.types.find(value.name); found != graph.types.end())
      text += (text.empty() ? "" : ", ") + typeText(found->second);
  };
  for (const auto &[name, argument] : node.arguments) {
    if (const auto *value = std::get_if<ValueName>(&argument))
      add(*value);
    if (const auto *list = std::get_if<std::vector<ValueName>>(&argument))
      std::for_each(list->begin(), list->end(), add);
  }
  return operatorName + "(" + text + ")";
}

namespace {
/// Goes over the operators in order. What is in place becomes a value of its own, which later operators see.
class Canon {
public:
  explicit Canon(const ImportedModel &model) : model(model), graph(model.graph) {}
  Net run();

private:
  void takeInput(const Input &input);
  void takeNode(const Node &node);
  void takeOutputs();
  NetNode *ownResult(NetNode *output);
  static const std::string *selfOf(const Node &node);
  static bool isAlias(const std::string &name);
  NetNode *unmapped(NetNode *map, NetNode *value);
  void replace(std::string name, NetNode *value);
  void refuse(const Node &node, const std::string &why);

  const ImportedModel &model;
  const Graph &graph;
  Builder build;
  std::map<std::string, NetNode *> values;
  std::map<std::string, const Node *> aliases; // by result: what shares the memory of its operand
  std::set<const NetNode *> ends;              // of results, below their changes of indices
  std::map<std::pair<std::string, std::vector<int64_t>>, NetNode *> stored; // by storage and shape
  /// An operator that cannot be imported: why, how often, and where first.
  struct Refused {
    int count = 0;
    const Node *first = nullptr;
  };
  std::map<std::string, Refused> refused;
};
} // namespace

/// The elements of a tensor of the file.
static std::shared_ptr<const Dense> readDense(const Weights &weights, const Input &input, const TensorType &type) {
  std::vector<std::byte> bytes = weights.read(input);
  auto dense = std::make_shared<Dense>(Dense{type.shape, {}});
  visit(type.type, [&](auto traits) {
    using Value = typename decltype(traits)::Value;
    dense->elements.resize(bytes.size() / sizeof(Value));
    for (size_t i = 0; i < dense->elements.size(); ++i) {
      Value value;
      std::memcpy(&value, bytes.data() + i * sizeof(Value), sizeof(Value));
      dense->elements[i] = double(value);
    }
  });
  return dense;
}

void Canon::takeInput(const Input &input) {
  auto type = graph.types.find(input.value);
  if (type == graph.types.end())
    return; // an integer, known at the exported sizes
  build.source = nullptr;
  bool isUser = input.kind == Input::Kind::User;
  bool isTrained = input.kind == Input::Kind::Parameter ||
                   (input.kind == Input::Kind::Buffer && input.isPersistent && isReal(type->second.type));
  if (isTrained) {
    // Two names of one weight: the first one stands for both.
    auto [known, isNew] = stored.try_emplace({model.weights->storageOf(input), type->second.shape});
    if (!isNew) {
      values[input.value] = known->second;
      return;
    }
    known->second = build.make(Op::Parameter, {}, type->second);
    values[input.value] = known->second;
  } else {
    values[input.value] = build.make(isUser ? Op::Input : Op::Constant, {}, type->second);
  }
  NetNode *node = values[input.value];
  node->input = &input;
  node->name = input.path.empty() ? input.value : input.path;
  if (isUser)
    build.net.inputs.push_back(node);
  if (node->op != Op::Constant)
    return;
  node->value = readDense(*model.weights, input, type->second);
  node->formula = fitFormula(*node->value, type->second.type, /*isSized=*/false);
}

void Canon::refuse(const Node &node, const std::string &why) {
  Refused &entry = refused[describe(node, graph) + (why.empty() ? "" : ": " + why)];
  if (!entry.count++)
    entry.first = &node;
}

void Canon::takeNode(const Node &node) {
  // Assertions of sizes are true at the exported ones.
  if (node.results.empty() || node.op.starts_with("_assert") || node.op.starts_with("sym_"))
    return;
  if (std::all_of(node.results.begin(), node.results.end(),
                  [&](const std::string &name) { return !graph.types.contains(name); }))
    return;
  std::string name = node.op;
  bool isInPlace = name.back() == '_' && name.front() != '_';
  if (isInPlace)
    name.pop_back();
  Handler handler = node.library == "aten" || node.library == "prim" ? findHandler(name) : Handler();
  build.source = &node;
  Call call(build, graph, values, node);
  call.results.resize(node.results.size());
  try {
    if (!handler)
      throw CannotImport("");
    if (NetNode *result = handler(call))
      call.results[0] = result;
  } catch (const CannotImport &why) {
    refuse(node, why.what());
  } catch (const std::out_of_range &) {
    refuse(node, "its arguments do not fit the ranks of its tensors");
  }
  for (size_t i = 0; i < node.results.size(); ++i) {
    auto type = graph.types.find(node.results[i]);
    if (type == graph.types.end())
      continue;
    // What is unknown stands for itself, so that the operators behind it are looked at, too.
    values[node.results[i]] = call.results[i] ? call.results[i] : build.make(Op::Input, {}, type->second);
  }
  const std::string *self = selfOf(node);
  if (isInPlace && self) {
    try {
      replace(*self, values[node.results[0]]);
    } catch (const CannotImport &why) {
      refuse(node, why.what());
    }
  } else if (self && isAlias(name))
    for (const std::string &result : node.results)
      aliases[result] = &node;
}

/// The name of an operator's first operand.
const std::string *Canon::selfOf(const Node &node) {
  const auto *self = node.arguments.empty() ? nullptr : std::get_if<ValueName>(&node.arguments[0].second);
  return self ? &self->name : nullptr;
}

/// Operators whose results share the memory of their operand.
bool Canon::isAlias(const std::string &name) {
  static const std::set<std::string> names = {
      "view",    "reshape", "flatten",          "unflatten", "view_as", "reshape_as", "unsqueeze",
      "squeeze", "permute", "transpose",        "t",         "slice",   "select",     "narrow",
      "expand",  "split",   "split_with_sizes", "chunk",     "unbind",  "detach",     "alias"};
  return names.contains(name);
}

/// The operand of a change of indices, given a new value of its result.
NetNode *Canon::unmapped(NetNode *map, NetNode *value) {
  NetNode *x = map->operands[0];
  switch (map->op) {
  case Op::View: return build.view(value, x->shape());
  case Op::Permute: {
    std::vector<int64_t> inverse(map->ints.size());
    for (size_t i = 0; i < inverse.size(); ++i)
      inverse[map->ints[i]] = int64_t(i);
    return build.permute(value, inverse);
  }
  case Op::Select: value = build.unsqueeze(value, map->dim); [[fallthrough]];
  case Op::Slice: {
    int64_t start = map->ints[0], length = value->extent(map->dim), extent = x->extent(map->dim);
    if (map->op == Op::Slice && map->ints[1] != 1)
      throw CannotImport("it changes each second element of a tensor in place");
    return build.cat(
        {build.slice(x, map->dim, 0, start), value, build.slice(x, map->dim, start + length, extent - start - length)},
        map->dim);
  }
  default: throw CannotImport("it changes a view of another tensor in place");
  }
}

/// What is in place becomes a new value of the tensor and of all that share its memory.
void Canon::replace(std::string name, NetNode *value) {
  for (auto alias = aliases.find(name); alias != aliases.end(); alias = aliases.find(name)) {
    std::string parent = *selfOf(*alias->second);
    for (NetNode *map = values[name]; map != values[parent]; map = map->operands[0])
      value = unmapped(map, value);
    name = parent;
  }
  values[name] = value;
  // Views are taken anew, in the order in which they were made.
  std::set<std::string> changed = {name};
  for (const Node &node : graph.nodes) {
    const std::string *self = selfOf(node);
    bool isView = self && changed.contains(*self) && !node.results.empty() && aliases.contains(node.results[0]) &&
                  aliases[node.results[0]] == &node;
    if (!isView)
      continue;
    changed.insert(node.results.begin(), node.results.end());
    takeNode(node);
  }
}

/// A result that only looks at another value in part, at an input or at another result is a rule, too.
NetNode *Canon::ownResult(NetNode *output) {
  NetNode *end = output;
  bool isPlain = true;
  for (; end->isMap() && !end->formula; end = end->operands[0])
    isPlain &= end->op == Op::View || end->op == Op::Permute || end->op == Op::Copy;
  if (isPlain && !end->isLeaf() && ends.insert(end).second)
    return output;
  return build.make(Op::Itself, {output}, output->type);
}

void Canon::takeOutputs() {
  Net &net = build.net;
  build.source = nullptr;
  for (const Output &output : graph.outputs) {
    auto found = values.find(output.value);
    if (output.kind == Output::Kind::BufferMutation || found == values.end())
      continue;
    net.outputs.push_back(ownResult(found->second));
    net.outputNames.push_back(output.kind == Output::Kind::Loss ? "loss" : output.path);
  }
  if (net.outputs.empty())
    throw CannotImport("the model has no tensor among its results");
}

Net Canon::run() {
  for (const Input &input : graph.inputs)
    takeInput(input);
  for (const Node &node : graph.nodes)
    takeNode(node);
  if (!refused.empty()) {
    std::string text =
        "cannot import " + std::to_string(refused.size()) + (refused.size() == 1 ? " operator:" : " operators:");
    for (const auto &[what, entry] : refused)
      text += "\n  " + what + ", " + (entry.count == 1 ? "once" : std::to_string(entry.count) + " times, first") +
              placeOf(entry.first->source);
    throw CannotImport(text);
  }
  matchJoins(build.net);
  takeOutputs();
  return std::move(build.net);
}

Net plc::import::makeNet(const ImportedModel &model) { return Canon(model).run(); }

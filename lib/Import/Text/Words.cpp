//===- Words.cpp - names for people ---------------------------------------===//
#include "Text/LayerText.h"
#include "Text/Steps.h"

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace plc;
using namespace plc::import;

bool plc::import::isReserved(const std::string &name) {
  static constexpr std::string_view words =
      " use dim batch layer fn model param share repeat if then else and or not inf stash pop in only kind "
      "frozen as state next optimizer from above to below size real random training step sum mean max min "
      "any all prod argmax argmin topk pad i32 i64 stop normal uniform pow attention softmax layer_norm "
      "rms_norm batch_norm group_norm linear embedding gelu silu relu dropout rope lstm gru conv1d conv2d "
      "conv3d max_pool mean_pool patches accuracy mixture glu lora mish elu swiglu geglu reglu softplus "
      "cross_entropy weighted huber upsample_linear upsample_nearest sinusoidal exp log sqrt tanh erf "
      "sigmoid abs sign log_sum_exp floor ceil round sin cos tan rsqrt ";
  return words.find(" " + name + " ") != std::string_view::npos;
}

std::string plc::import::snakeCase(const std::string &name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool begins = std::isupper(c) && i > 0 && (std::islower(name[i - 1]) || std::isdigit(name[i - 1]));
    if (begins)
      text += '_';
    text += std::isalnum(c) ? char(std::tolower(c)) : '_';
  }
  if (text.empty() || std::isdigit(text[0]))
    text.insert(0, "n");
  return text;
}

/// The names of a path that are no numbers.
static std::vector<std::string> partsOf(const std::string &path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    if (!part.empty() && !std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); }))
      parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

std::string plc::import::valueName(const NetNode *node) {
  std::vector<std::string> parts = partsOf(modulePath(node));
  if (node->op == Op::Embedding && !parts.empty()) {
    std::string name = snakeCase(parts.back());
    return name.substr(name.rfind('_') + 1);
  }
  return parts.empty() ? "z" : snakeCase(parts[0]) + "_y";
}

std::string plc::import::inputName(const NetNode *node) {
  std::string name = snakeCase(node->name);
  return name == "input_ids" ? "tok" : isReserved(name) ? name + "_of" : name;
}

std::string plc::import::inputType(const NetNode *node, Sizes &sizes) {
  std::string extents;
  for (const Axis &axis : node->axes)
    extents += (extents.empty() ? "" : ", ") + sizes.product(axis);
  if (!node->axes.empty())
    extents = "[" + extents + "]";
  return node->isReal() ? extents : (node->isBool() ? ": bool" : ": i32") + extents;
}

std::string plc::import::extentsOf(Rules &rules, NetNode *node, Sizes &sizes) {
  std::string extents;
  for (Atom *leaf : rules.axesOf(node))
    extents += (extents.empty() ? "" : ", ") + sizes.name(leaf);
  extents = extents.empty() ? "" : "[" + extents + "]";
  return node->isReal() ? extents : (node->isBool() ? ": bool" : ": i32") + extents;
}

std::vector<Axis> plc::import::parameterAxes(const Rules &rules, const NetNode *node) {
  std::vector<Axis> axes;
  for (const Axis &axis : node->axes) {
    Axis leaves = flat(axis);
    if (leaves.empty() && rules.full.contains(node))
      axes.push_back({});
    for (Atom *leaf : leaves)
      axes.push_back({leaf});
  }
  return axes;
}

/// A weight's name in its layer: the last of the path's names, with those before it if that is taken.
static std::string parameterName(const NetNode *node, const std::string &block, const std::set<std::string> &taken) {
  std::string path = node->name;
  if (!block.empty() && path.starts_with(block + "."))
    path.erase(0, block.size() + 1);
  std::vector<std::string> parts = partsOf(path);
  for (std::string &part : parts)
    part = snakeCase(part);
  bool isBias = parts.size() > 1 && parts.back() == "bias";
  if (parts.size() > 1 && (isBias || parts.back() == "weight"))
    parts.pop_back();
  std::string name;
  for (size_t i = parts.size(); i-- > 0;) {
    name = parts[i] + (name.empty() ? "" : "_" + name);
    std::string candidate = (name.size() == 1 ? "w" + name : name) + (isBias ? "_bias" : "");
    if (isReserved(candidate))
      candidate += "_of";
    if (!taken.contains(candidate))
      return candidate;
  }
  for (int number = 2;; ++number)
    if (std::string candidate = (name.empty() ? "w" : name) + "_" + std::to_string(number); !taken.contains(candidate))
      return candidate;
}

namespace {
/// In front of the name of a state: its value after the run.
const std::string nextMark = "next ";

/// Finds names for the values of one layer, and prints it.
class LayerPrinter {
public:
  LayerPrinter(Rules &rules, Layer &layer, Sizes &sizes, ModelNames &model)
      : rules(rules), layer(layer), sizes(sizes), model(model), segment(rules.segments[layer.segment]) {}
  LayerText run();

private:
  void nameParameters();
  void nameInputs();
  void nameResults();
  void nameRules();
  void findNested();
  std::string nestedCall(const Rule &norm, Print &print);
  Extents extentsByName(const std::string &name);
  std::string hint(const Rule &rule) const;
  std::string productHint(const Rule &rule, const std::string &module) const;
  std::string free(std::string name, const char *suffix);
  std::string header();
  std::string parameters();
  std::string initializer(const NetNode *node) const;

  Rules &rules;
  Layer &layer;
  Sizes &sizes;
  ModelNames &model;
  const Segment &segment;
  LayerText result;
  std::vector<std::pair<NetNode *, std::string>> shares;
  std::map<const Rule *, const Rule *> nested; // norms and their convolutions
  std::set<const NetNode *> inner;             // parameters of nested layers
  std::set<const Rule *> hidden;               // rules of nested layers
  std::set<std::string> taken, modules;
  Print::Names names;
};
} // namespace

/// A name that nothing has, by numbers or by a suffix.
std::string LayerPrinter::free(std::string name, const char *suffix) {
  std::string base = name;
  if (!*suffix)
    while (base.size() > 1 && std::isdigit(base.back()))
      base.pop_back();
  for (int number = 2; taken.contains(name) || isReserved(name); ++number)
    name = *suffix ? name + suffix : base + std::to_string(number);
  taken.insert(name);
  return name;
}

/// Parameters that another layer has, too, stay in this one.
void LayerPrinter::findNested() {
  for (const Rule *norm : layer.rules) {
    const Rule *convolution = model.nestsConvolutions ? convolutionOf(rules, layer, *norm) : nullptr;
    if (!convolution)
      continue;
    std::vector<NetNode *> parameters = norm->key.node->operands;
    parameters[0] = convolution->key.node->operands[1];
    if (std::any_of(parameters.begin(), parameters.end(),
                    [&](auto *node) { return model.owners.contains(node) || rules.consumers(node).size() > 1; }))
      continue;
    nested[norm] = convolution;
    hidden.insert(convolution);
    inner.insert(parameters.begin(), parameters.end());
    for (const NetNode *node : parameters)
      model.owners[node] = layer.segment;
  }
}

/// "h = conv(relu(x)) in down": its name, and what it is given to, are filled in when all layers are known.
std::string LayerPrinter::nestedCall(const Rule &norm, Print &print) {
  NestedCall call = printNested(*nested.at(&norm), norm, sizes);
  call.argument = print.argument(nested.at(&norm)->right->arguments[0]);
  std::vector<std::string> parts = partsOf(nested.at(&norm)->key.node->operands[1]->name);
  std::string base = parts.size() > 1 ? snakeCase(parts[parts.size() - 2]) : "conv";
  call.module = base;
  for (int number = 2; isReserved(call.module) || !modules.insert(call.module).second; ++number)
    call.module = base + "_" + std::to_string(number);
  result.nested.push_back(call);
  return names.at(norm.key) + " = " + callMark + std::to_string(result.nested.size() - 1) + callMark + " in " +
         call.module;
}

void LayerPrinter::nameParameters() {
  for (auto [state, next] : layer.states)
    if (std::find(layer.noted.begin(), layer.noted.end(), state) == layer.noted.end())
      layer.noted.push_back(state);
  for (NetNode *node : layer.noted) {
    if (inner.contains(node))
      continue;
    if (node->op != Op::Parameter && node->op != Op::State) {
      result.inputs.push_back(node);
      continue;
    }
    std::string name = parameterName(node, segment.block, taken);
    taken.insert(name);
    names[{node}] = name;
    if (node->op == Op::State)
      continue;
    bool isOwner = model.owners.try_emplace(node, layer.segment).first->second == layer.segment;
    if (!isOwner && isAmong(layer.states, node))
      throw CannotImport("the buffer '" + node->name + readElsewhere);
    (isOwner ? result.parameters : shares).push_back({node, name});
  }
}

void LayerPrinter::nameInputs() {
  std::vector<NetNode *> &inputs = result.inputs;
  auto isCarried = [&](NetNode *input) {
    Axis own = rules.axesOf(input);
    return input->op != Op::Input && std::any_of(layer.results.begin(), layer.results.end(),
                                                 [&](NetNode *output) { return rules.axesOf(output) == own; });
  };
  std::stable_partition(inputs.begin(), inputs.end(), [](NetNode *input) { return input->op != Op::Input; });
  auto behind = std::stable_partition(inputs.begin(), inputs.end(), isCarried);
  bool hasCarried = behind != inputs.begin();
  for (NetNode *input : inputs) {
    bool isFirst = input == inputs[0] && (hasCarried || inputs.size() == 1);
    names[{input}] = free(input->op == Op::Input ? inputName(input) : isFirst ? "x" : valueName(input), "_");
  }
}

void LayerPrinter::nameResults() {
  result.results = layer.results;
  for (NetNode *node : layer.results) {
    std::string name = node != layer.results[0]                    ? valueName(node)
                       : segment.block.empty() && segment.run == 0 ? "x"
                                                                   : "y";
    if (auto known = model.results.find(node); known != model.results.end() && segment.block.empty())
      name = known->second;
    names[{node}] = free(name, "2");
  }
}

/// Queries, keys and values have the letters q, r and v: k counts features.
std::string LayerPrinter::productHint(const Rule &rule, const std::string &module) const {
  static const std::map<std::string, std::string> known = {
      {"query", "q"}, {"q_proj", "q"}, {"q", "q"}, {"key", "r"},          {"k_proj", "r"},  {"k", "r"},
      {"value", "v"}, {"v_proj", "v"}, {"v", "v"}, {"gate_proj", "gate"}, {"up_proj", "up"}};
  NetNode *node = rule.key.node;
  if (!rule.key.chosen.empty()) {
    auto [position, number] = rule.key.chosen[0];
    if (rules.axesOf(node)[position]->extent == 3)
      return std::string(1, "qrv"[(number + 3) % 3]);
  }
  if (auto found = known.find(module); found != known.end())
    return found->second;
  bool hasWeight = false, isMean = false;
  for (NetNode *operand : node->operands)
    for (NetNode *each = operand; each; each = each->isMap() && !each->isLeaf() ? each->operands[0] : nullptr) {
      hasWeight |= each->op == Op::Parameter;
      isMean |= each->op == Op::Softmax;
    }
  return hasWeight ? "h" : isMean ? "o" : "z";
}

std::string LayerPrinter::hint(const Rule &rule) const {
  NetNode *node = rule.key.node;
  std::vector<std::string> parts = partsOf(modulePath(node));
  std::string module = parts.empty() ? "" : snakeCase(parts.back());
  switch (node->op) {
  case Op::Softmax: return "p";
  case Op::LayerNorm:
  case Op::RmsNorm: return "n";
  case Op::TopK: return "chosen";
  case Op::PickedBest: return "best";
  case Op::Lstm:
  case Op::Gru:
  case Op::Convolution:
  case Op::BatchNorm:
  case Op::MaxPool:
  case Op::Gelu:
  case Op::GeluTanh:
  case Op::Silu:
  case Op::Relu:
  case Op::Tanh: return "h";
  case Op::Embedding: return module.substr(module.rfind('_') + 1);
  default: break;
  }
  if (node->isFloating) {
    for (const NetNode *user : rules.consumers(node))
      if (user && (user->op == Op::Cos || user->op == Op::Sin))
        return "angle";
    return "c";
  }
  if (node->is(OpClass::Contraction))
    return productHint(rule, module);
  // What goes on with a value of another layer or rule has that one's name.
  std::string name = "u";
  if (rule.right && (node->isElementwise() || node->op == Op::Rope || node->op == Op::RopePairs))
    walk(rule.right, [&](E e) {
      if (name == "u" && e->kind == Expr::Read && !e->key.node->is(OpClass::Leaf) && !e->key.node->isFloating)
        if (auto found = names.find(e->key); found != names.end())
          name = found->second;
    });
  return name;
}

void LayerPrinter::nameRules() {
  // A value that is only the next one of a state needs no name of its own.
  for (auto [state, next] : layer.states) {
    auto made = layer.made.find({next});
    bool isResult = std::find(layer.results.begin(), layer.results.end(), next) != layer.results.end();
    if (made != layer.made.end() && next->users.empty() && made->second->clauses.empty() && !isResult &&
        !nested.contains(made->second))
      names[{next}] = nextMark + names[{state}];
  }
  for (const Rule *rule : layer.rules)
    if (!names.contains(rule->key) && !hidden.contains(rule))
      names[rule->key] = free(hint(*rule), "");
}

/// Of a value or parameter of the layer.
Extents LayerPrinter::extentsByName(const std::string &name) {
  Extents extents;
  for (const auto &[key, own] : names) {
    if (own != name)
      continue;
    std::vector<Axis> axes;
    if (auto made = layer.made.find(key); made != layer.made.end())
      for (const Var *index : made->second->left)
        axes.push_back({index->leaf});
    else if (key.node->op == Op::Input)
      axes = key.node->axes;
    else
      for (Atom *leaf : rules.axesOf(key.node))
        axes.push_back({leaf});
    for (const Axis &axis : axes)
      extents.push_back({sizes.product(axis), extentOf(axis)});
    break;
  }
  return extents;
}

std::string LayerPrinter::header() {
  std::string text = "(";
  for (NetNode *input : result.inputs)
    text += (text.size() > 1 ? ", " : "") + names[{input}] +
            (input->op == Op::Input ? inputType(input, sizes) : extentsOf(rules, input, sizes));
  text += ") -> ";
  for (NetNode *node : result.results)
    text += (node == result.results[0] ? "" : ", ") + names[{node}] + extentsOf(rules, node, sizes);
  return text;
}

std::string LayerPrinter::initializer(const NetNode *node) const {
  bool isFrozen = node->input->kind != Input::Kind::Parameter || !node->input->isTrained;
  if (isFrozen)
    return node->name.ends_with("var") ? "= 1 frozen" : "= 0 frozen";
  if (node->rank() == 1 && node->name.ends_with("weight"))
    return "= 1";
  return node->name.ends_with("bias") ? "= 0" : "~ normal(0.02)";
}

/// Neighbours of one initializer share a line.
std::string LayerPrinter::parameters() {
  static const std::vector<std::string> ordered = {"= 1", "~ normal(0.02)", "= 0", "= 1 frozen", "= 0 frozen"};
  constexpr size_t widest = 90;
  std::string text;
  for (const std::string &initial : ordered) {
    std::string line;
    auto end = [&] {
      if (!line.empty())
        text += "  param " + line + " " + initial + "\n";
      line.clear();
    };
    for (const auto &[node, name] : result.parameters) {
      if (initializer(node) != initial)
        continue;
      std::string extents;
      for (const Axis &axis : parameterAxes(rules, node))
        extents += (extents.empty() ? "" : ", ") + sizes.product(axis);
      std::string type = node->isReal() ? "" : node->isBool() ? ": bool" : ": i32";
      std::string each = name + type + (extents.empty() ? "" : "[" + extents + "]");
      if (line.size() + each.size() > widest)
        end();
      line += (line.empty() ? "" : ", ") + each;
    }
    end();
  }
  return text;
}

LayerText LayerPrinter::run() {
  findNested();
  nameParameters();
  nameInputs();
  nameResults();
  nameRules();
  // Sizes are named in the order of the text: header, parameters, rules.
  std::string head = header();
  head += " {\n" + parameters();
  for (auto [state, next] : layer.states)
    if (state->op == Op::State)
      head += "  state " + names[{state}] + inputType(state, sizes) + " = " + numberText(state->number) + "\n";
  for (const auto &[node, name] : shares)
    head += "  share " + name + " = @" + std::to_string(node->id) + "@\n";
  Print print(rules, layer, sizes, names);
  std::vector<std::string> lines;
  for (const Rule *rule : layer.rules) {
    if (hidden.contains(rule))
      continue;
    if (nested.contains(rule)) {
      lines.push_back(nestedCall(*rule, print));
      continue;
    }
    bool isResult = std::find(layer.results.begin(), layer.results.end(), rule->key.node) != layer.results.end();
    Print one = print;
    std::vector<std::string> own = one.rule(*rule, !isResult);
    lines.insert(lines.end(), own.begin(), own.end());
  }
  std::set<std::string> kept;
  for (NetNode *node : layer.results)
    kept.insert(names[{node}]);
  rollSteps(lines,
            {[this](const std::string &name) { return extentsByName(name); },
             [this](const std::string &a, const std::string &b) { sizes.equate(a, b); }},
            kept);
  for (const std::string &line : lines)
    head += "  " + line + "\n";
  for (auto [state, next] : layer.states)
    if (!names[{next}].starts_with(nextMark))
      head += "  " + (nextMark + names[{state}]) + " = " + names[{next}] + "\n";
  result.text = head + "}\n";
  return std::move(result);
}

LayerText plc::import::printLayer(Rules &rules, Layer &layer, Sizes &sizes, ModelNames &names) {
  return LayerPrinter(rules, layer, sizes, names).run();
}

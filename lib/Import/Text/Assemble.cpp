//===- Assemble.cpp - layers and repeats of a whole model -----------------===//
// Layers of equal texts are one layer; equal calls in a row are a repeat.
#include "Text/Assemble.h"
#include "Text/Forms.h"
#include "Text/LayerText.h"

#include <algorithm>
#include <regex>

using namespace plc;
using namespace plc::import;

namespace {
/// A call of a layer in the model, or several in a row.
struct LayerCall {
  std::string layer, settings;
  std::vector<std::string> arguments, results;
  std::vector<int> layers;        // of its iterations
  std::string group;              // the list of modules that it is of
  std::vector<std::string> after; // lines behind it: `output = x`
};

class Assembler {
public:
  Assembler(Rules &rules, const ImportOptions &options, Batch batch)
      : rules(rules), options(options), batch(std::move(batch)) {}
  ImportedRules run();

private:
  void nameOutputs();
  void printLayers();
  void nameNested();
  std::string layerName(int index);
  std::string freeName(const std::string &base) const; // that no layer has
  void makeCalls();
  LayerCall makeCall(int index);
  std::string resultName(int index, NetNode *node, const LayerCall &call);
  bool joins(const LayerCall &before, const LayerCall &next) const;
  std::string printCalls();
  void givePaths(const LayerCall &call, const std::string &prefix);
  void takeLoss();
  void nameResults(LayerCall &call);
  std::string header();
  std::string batchLine() const;
  void warnOfUnits();
  std::string resolved(std::string text) const;

  Rules &rules;
  const ImportOptions &options;
  Batch batch;
  Sizes sizes;
  ModelNames names;
  ImportedRules result;
  std::vector<std::string> outputs; // the names of the results
  std::vector<LayerText> texts;     // by segment
  std::vector<std::string> layerNames, settings;
  std::vector<std::pair<std::string, std::string>> printed; // name and text of each layer that differs
  std::map<const NetNode *, std::string> values;            // in the model
  std::map<const NetNode *, int> lastUse;
  std::set<std::string> live;
  std::vector<LayerCall> calls;
  std::map<const NetNode *, std::string> paths; // of parameters
  std::string lossInput, lossLine;              // that --loss adds
};
} // namespace

void Assembler::nameOutputs() {
  const std::vector<std::string> &given = rules.net.outputNames;
  std::set<std::string> taken;
  for (size_t i = 0; i < given.size(); ++i) {
    bool isNamed = !given[i].empty() &&
                   std::any_of(given[i].begin(), given[i].end(), [](unsigned char c) { return std::isalpha(c); });
    std::string name = findLoss(rules.net) == i ? "loss"
                       : isNamed                ? snakeCase(given[i])
                       : given.size() == 1      ? "y"
                                                : "y" + std::to_string(i);
    while (isReserved(name) || !taken.insert(name).second)
      name += "_of";
    outputs.push_back(name);
    names.results.try_emplace(rules.outputs[i], name);
  }
}

std::string Assembler::freeName(const std::string &base) const {
  std::string name = base;
  for (int number = 2; isReserved(name) || std::any_of(printed.begin(), printed.end(),
                                                       [&](const auto &each) { return each.first == name; });
       ++number)
    name = base + std::to_string(number);
  return name;
}

std::string Assembler::layerName(int index) {
  const Segment &segment = rules.segments[index];
  std::string name;
  if (segment.block.empty()) {
    bool isLast = std::none_of(rules.segments.begin() + index + 1, rules.segments.end(),
                               [](const Segment &other) { return other.block.empty(); });
    name = segment.run == 0 ? "embed" : isLast ? "head" : "middle";
    if (rules.segments.size() == 1)
      name = "net";
  } else {
    std::string type = snakeCase(segment.module.substr(segment.module.rfind('.') + 1));
    bool isPlain = segment.module.starts_with("torch.nn.modules.");
    bool isBlock = isPlain || segment.module.empty() || type.find("layer") != std::string::npos ||
                   type.find("block") != std::string::npos;
    name = isBlock ? "block" : type;
    bool isTaken = std::any_of(printed.begin(), printed.end(), [&](const auto &each) { return each.first == name; });
    if (size_t point = segment.block.find('.'); isTaken && point != std::string::npos)
      name = snakeCase(segment.block.substr(0, point)) + "_" + name;
  }
  return freeName(name);
}

/// Nested layers of all layers come first.
void Assembler::nameNested() {
  std::vector<std::string> nested;
  for (const LayerText &text : texts)
    for (const NestedCall &call : text.nested)
      nested.push_back(call.text);
  Forms forms(nested, sizes);
  for (std::string &text : forms.texts)
    text = simplifyWindows(text);
  for (const std::string &text : forms.texts)
    printed.push_back({freeName(text.find("depthwise") == std::string::npos ? "conv" : "depthwise"), text});
  size_t next = 0;
  for (LayerText &text : texts)
    for (size_t i = 0; i < text.nested.size(); ++i) {
      const NestedCall &call = text.nested[i];
      const FormUse &use = forms.uses[next++];
      const std::string &name = printed[use.form].first;
      std::string mark = callMark + std::to_string(i) + callMark;
      text.text.replace(text.text.find(mark), mark.size(),
                        name + "(" + call.argument + markSettings(use.settings) + ")");
      for (const auto &[node, own] : call.parameters)
        text.parameters.push_back({node, call.module + "." + name + "." + own});
    }
}

void Assembler::printLayers() {
  size_t normed = 0;
  for (const Layer &layer : rules.layers)
    normed += size_t(std::count_if(layer.rules.begin(), layer.rules.end(),
                                   [&](const Rule *rule) { return convolutionOf(rules, layer, *rule) != nullptr; }));
  names.nestsConvolutions = normed > 1;
  for (Layer &layer : rules.layers)
    texts.push_back(printLayer(rules, layer, sizes, names));
  nameNested();
  std::vector<std::string> layers;
  for (const LayerText &text : texts)
    layers.push_back(text.text);
  Forms forms(layers, sizes);
  std::vector<std::string> formNames(forms.texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto &[form, given] = forms.uses[i];
    if (formNames[form].empty()) {
      formNames[form] = layerName(rules.layers[i].segment);
      printed.push_back({formNames[form], forms.texts[form]});
    }
    layerNames.push_back(formNames[form]);
    settings.push_back(dropUsual(markSettings(given)));
  }
}

/// A result goes on under the name of the input that it carries on, if nothing else needs that one.
std::string Assembler::resultName(int index, NetNode *node, const LayerCall &call) {
  const std::vector<NetNode *> &inputs = texts[index].inputs;
  const Segment &segment = rules.segments[index];
  if (auto output = names.results.find(node); output != names.results.end() && segment.block.empty())
    return output->second;
  std::string name = "x";
  bool isCarried = !inputs.empty() && inputs[0]->op != Op::Input && !names.results.contains(inputs[0]) &&
                   !live.contains(call.arguments[0]);
  if (isCarried)
    name = call.arguments[0];
  else if (!call.results.empty())
    name = valueName(node);
  auto isTaken = [&](const std::string &each) {
    return live.contains(each) || std::any_of(rules.net.inputs.begin(), rules.net.inputs.end(),
                                              [&](auto *input) { return values[input] == each; });
  };
  std::string base = name;
  for (int number = 2; isTaken(name); ++number)
    name = base + std::to_string(number);
  return name;
}

LayerCall Assembler::makeCall(int index) {
  const LayerText &text = texts[index];
  const Segment &segment = rules.segments[index];
  LayerCall call{layerNames[index], settings[index], {}, {}, {index}, "", {}};
  for (NetNode *input : text.inputs)
    call.arguments.push_back(values.at(input));
  for (NetNode *input : text.inputs)
    if (lastUse[input] == index && input->op != Op::Input && !names.results.contains(input))
      live.erase(values.at(input));
  for (NetNode *node : text.results) {
    values[node] = resultName(index, node, call);
    live.insert(values[node]);
    call.results.push_back(values[node]);
    if (auto output = names.results.find(node); output != names.results.end() && !segment.block.empty())
      call.after.push_back(output->second + " = " + values[node]);
  }
  if (size_t point = segment.block.rfind('.'); point != std::string::npos) {
    std::string list = segment.block.substr(0, point);
    call.group = snakeCase(list.substr(list.rfind('.') + 1));
    call.group += isReserved(call.group) ? "s" : ""; // 'layer', 'state'
  }
  return call;
}

bool Assembler::joins(const LayerCall &before, const LayerCall &next) const {
  return before.layer == next.layer && before.settings == next.settings && before.group == next.group &&
         before.arguments == next.arguments && before.results == next.results && !next.arguments.empty() &&
         next.arguments[0] == next.results[0] && before.after.empty();
}

void Assembler::makeCalls() {
  for (NetNode *input : rules.net.inputs)
    values[input] = inputName(input);
  for (size_t i = 0; i < texts.size(); ++i)
    for (const NetNode *input : texts[i].inputs)
      lastUse[input] = int(i);
  live.insert(outputs.begin(), outputs.end());
  for (size_t i = 0; i < texts.size(); ++i) {
    LayerCall call = makeCall(int(i));
    if (!calls.empty() && joins(calls.back(), call)) {
      calls.back().layers.push_back(int(i));
      calls.back().after = call.after;
    } else {
      calls.push_back(std::move(call));
    }
  }
}

/// "block.3.qkv" of each parameter of the call's iterations.
void Assembler::givePaths(const LayerCall &call, const std::string &prefix) {
  for (size_t i = 0; i < call.layers.size(); ++i)
    for (const auto &[node, name] : texts[call.layers[i]].parameters) {
      std::string number = call.layers.size() > 1 ? "." + std::to_string(i) : "";
      paths[node] = prefix + call.layer + number + "." + name;
      std::vector<int64_t> shape;
      for (const Axis &axis : parameterAxes(rules, node))
        shape.push_back(extentOf(axis));
      result.parameters.push_back({paths[node], node->input, shape});
    }
}

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A single call gives results of the model their names itself, if no other layer reads them.
void Assembler::nameResults(LayerCall &call) {
  if (call.layers.size() > 1)
    return;
  const std::vector<NetNode *> &nodes = texts[call.layers[0]].results;
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto output = names.results.find(nodes[i]);
    if (output == names.results.end() || lastUse.contains(nodes[i]))
      continue;
    std::erase(call.after, output->second + " = " + call.results[i]);
    call.results[i] = output->second;
  }
}

std::string Assembler::printCalls() {
  std::map<std::string, int> uses, groups;
  for (const LayerCall &call : calls)
    ++uses[call.layer];
  std::string text;
  for (LayerCall &call : calls) {
    nameResults(call);
    std::string group;
    if (uses[call.layer] > 1) { // paths of equal layers differ by a name in front
      std::string base = call.group.empty() ? "part" : call.group;
      int number = ++groups[call.layer + " " + base];
      group = base + (number > 1 ? "_" + std::to_string(number) : "");
    }
    std::string line = joined(call.results) + " = " + call.layer + "(" + joined(call.arguments) + call.settings + ")";
    if (!group.empty())
      line += " in " + group;
    bool isRepeated = call.layers.size() > 1;
    text +=
        "  " + (isRepeated ? "repeat " + sizes.count(int64_t(call.layers.size())) + " { " + line + " }" : line) + "\n";
    for (const std::string &after : call.after)
      text += "  " + after + "\n";
    givePaths(call, group.empty() ? "" : group + ".");
  }
  return text;
}

/// Losses of the library; those of classes take positions along the last axis.
static bool isLoss(const std::string &name, bool &ofClasses) {
  static const std::map<std::string, bool> known = {{"cross_entropy", true},
                                                    {"smoothed_cross_entropy", true},
                                                    {"squared_error", false},
                                                    {"huber", false},
                                                    {"binary_cross_entropy", false}};
  auto found = known.find(name);
  ofClasses = found != known.end() && found->second;
  return found != known.end();
}

/// "cross_entropy(logits, label)": the mean over all axes; `output` stands for the only result.
void Assembler::takeLoss() {
  std::smatch match;
  static const std::regex form(R"(\s*(\w+)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*)");
  bool ofClasses = false;
  if (!std::regex_match(options.loss, match, form) || !isLoss(match[1], ofClasses))
    throw ImportError(
        "--loss is LOSS(RESULT, NAME) with one of cross_entropy, smoothed_cross_entropy, squared_error, huber and "
        "binary_cross_entropy, found '" +
        options.loss + "'");
  std::string result = match[2], target = match[3];
  if (outputs.size() == 1 && result == "output")
    result = outputs[0];
  auto found = std::find(outputs.begin(), outputs.end(), result);
  if (found == outputs.end())
    throw ImportError("--loss names the result '" + result + "', but the model has " + joined(outputs));
  bool isTaken = isReserved(target) || std::any_of(rules.net.inputs.begin(), rules.net.inputs.end(),
                                                   [&](auto *input) { return inputName(input) == target; });
  if (isTaken || std::find(outputs.begin(), outputs.end(), target) != outputs.end())
    throw ImportError("--loss adds an input '" + target + "', which is a name already; choose another one");
  NetNode *node = rules.outputs[found - outputs.begin()];
  Axis axes = rules.axesOf(node);
  std::vector<std::string> indices, extents;
  std::set<std::string> taken;
  for (Atom *leaf : axes) {
    extents.push_back(sizes.name(leaf));
    indices.push_back(indexName(extents.back(), taken));
    taken.insert(indices.back());
  }
  std::string classIndex = ofClasses && !indices.empty() ? indices.back() : "",
              read = result + "[" + joined(indices) + "]";
  if (ofClasses && !indices.empty()) {
    indices.pop_back();
    extents.pop_back();
  }
  lossInput = target + (ofClasses ? ": i32[" : "[") + joined(extents) + "]";
  lossLine = "  loss = mean[" + joined(indices) + "](" + match[1].str() + (ofClasses ? "[" + classIndex + "]" : "") +
             "(" + read + ", " + target + "[" + joined(indices) + "]))\n";
}

std::string Assembler::header() {
  std::string inputs, results;
  for (const NetNode *input : rules.net.inputs)
    inputs += (inputs.empty() ? "" : ", ") + inputName(input) + inputType(input, sizes);
  for (size_t i = 0; i < outputs.size(); ++i)
    results += (results.empty() ? "" : ", ") + outputs[i] + extentsOf(rules, rules.outputs[i], sizes);
  if (!options.loss.empty()) {
    inputs += (inputs.empty() ? "" : ", ") + lossInput;
    results = "loss, " + results;
  }
  std::string name = snakeCase(options.name);
  return "model " + (isReserved(name) ? name + "_model" : name) + "(" + inputs + ") -> " + results;
}

/// Puts the paths of shared parameters in.
std::string Assembler::resolved(std::string text) const {
  for (const auto &[node, path] : paths) {
    std::string mark = "@" + std::to_string(node->id) + "@";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), path);
  }
  return text;
}

/// The libraries of the functions that rules call.
static std::string librariesOf(const Rules &rules) {
  bool usesVision = false, usesSequences = false;
  for (const Layer &layer : rules.layers)
    for (const Rule *rule : layer.rules) {
      if (!rule->right)
        continue;
      Op op = rule->right->op;
      bool isSequence = op == Op::Lstm || op == Op::Gru || op == Op::Rope || op == Op::RopePairs;
      usesSequences |= isSequence;
      usesVision |= rule->right->kind == Expr::Whole && !isSequence && op != Op::LayerNorm && op != Op::RmsNorm;
    }
  return std::string("use std.nn\n") + (usesSequences ? "use std.seq\n" : "") + (usesVision ? "use std.vision\n" : "");
}

/// Without it, each micro-batch is a batch.
std::string Assembler::batchLine() const {
  if (!batch.atom || !sizes.has("B"))
    return "";
  if (!batch.mixing)
    return "batch B\n";
  const Node *source = batch.mixing->source;
  std::string what = source ? source->op + placeOf(source->source) : "'" + batch.mixing->name + "'";
  return "# No batch: along " + batch.input + ", " + what + ": " + batch.why + ".\n";
}

/// An axis of one element is not told from one that is broadcast.
void Assembler::warnOfUnits() {
  for (const NetNode *input : rules.net.inputs)
    for (int i = 0; i < input->rank(); ++i)
      if (input->extent(i) == 1)
        result.warnings.push_back("axis " + std::to_string(i) + " of input '" + inputName(input) +
                                  "' had one element at export, and has one in the rules; export with 2 or more");
}

ImportedRules Assembler::run() {
  findRoles(rules, batch.atom);
  sizes.findWindows(rules.net);
  warnOfUnits();
  nameOutputs();
  printLayers();
  makeCalls();
  std::string body = printCalls();
  if (!options.loss.empty())
    takeLoss();
  body += lossLine;
  std::string head = header(), layers;
  for (const auto &[name, text] : printed)
    layers += "layer " + name + resolved(dropUsual(text));
  std::string text = layers + head + " {\n" + body + "}\n";
  std::string remarks = sizes.fixUnrolled(text);
  result.text = "# " + options.name + ".ein: an imported model.\n" + remarks + librariesOf(rules) + "\n" +
                sizes.declarations() + "\n" + batchLine() + "\n" + text;
  return std::move(result);
}

ImportedRules plc::import::assemble(Rules &rules, const ImportOptions &options, Batch batch) {
  return Assembler(rules, options, std::move(batch)).run();
}

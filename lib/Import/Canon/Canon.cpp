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
/// The graph that is gone over: the model's, or the body of a loop, which sees its own values alone.
struct Frame {
  const Graph *graph = nullptr;
  const Node *outer = nullptr; // the loop, of those within each other the outermost
  std::map<std::string, NetNode *> values{};
  std::map<std::string, const Node *> aliases{}; // by result: what shares the memory of its operand
};

/// Goes over the operators in order. What is in place becomes a value of its own, which later operators see.
class Canon : Frame {
public:
  /// `states`: the buffers that the model changes. If it `trains`, those of reals are parameters.
  Canon(const ImportedModel &model, const std::set<std::string> &states, bool trains)
      : Frame{&model.graph}, model(model), states(states), trains(trains) {}
  Net run();
  /// The buffers that have another value behind the last operator, and that value.
  std::map<std::string, NetNode *> changed() const;

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
  void attempt(const Node &node, const std::function<void()> &step);
  static void requireShape(const NetNode *value, const TensorType &type);
  void takeState(const Input &input, const TensorType &type);
  void takeNextStates();
  Nodes inlined(const Node &loop, const char *body, Nodes inputs);
  Nodes loop(const Node &node, Call &call);
  Nodes whileLoop(const Node &node, Call &call);
  Nodes scan(const Node &node, Call &call);

  const ImportedModel &model;
  const std::set<std::string> &states;
  bool trains;
  Builder build;
  std::map<std::string, NetNode *> originals;                // of the model's inputs before the run
  std::set<const NetNode *> ends;                            // of results, below their changes of indices
  std::map<std::pair<std::string, Shape>, NetNode *> stored; // by storage and shape
  /// An operator that cannot be imported: why, how often, and where first.
  struct Refused {
    int count = 0;
    const Node *first = nullptr;
  };
  std::map<std::string, Refused> refused;
};
} // namespace

/// The elements of a tensor of the file.
static std::shared_ptr<const Dense> denseOf(const std::vector<std::byte> &bytes, const TensorType &type) {
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
  auto type = graph->types.find(input.value);
  if (type == graph->types.end())
    return; // an integer, known at the exported sizes
  build.source = nullptr;
  bool isReplaced = trains && states.contains(input.value) && isReal(type->second.type);
  if (states.contains(input.value) && !isReplaced)
    return takeState(input, type->second);
  bool isUser = input.kind == Input::Kind::User;
  bool isParameter = input.kind == Input::Kind::Parameter || isReplaced ||
                     (input.kind == Input::Kind::Buffer && input.isPersistent && isReal(type->second.type));
  if (isParameter) {
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
  if (!build.keeps(double(elementsOf(node->shape()))))
    return;
  node->value = denseOf(model.weights->read(input), type->second);
  node->formula = fitFormula(*node->value, type->second.type, /*isSized=*/false);
}

/// A buffer that the model changes begins as one number, as caches and counters do.
void Canon::takeState(const Input &input, const TensorType &type) {
  std::vector<std::byte> bytes = model.weights->read(input);
  size_t width = std::min(byteWidth(type.type), bytes.size());
  // Each is as the one before.
  bool isOne = std::equal(bytes.begin() + std::ptrdiff_t(width), bytes.end(), bytes.begin());
  bytes.resize(width);
  std::vector<double> elements = denseOf(bytes, type)->elements;
  if (elements.empty() || !isOne || kindOf(type.type) == ElementKind::Truth)
    throw CannotImport("the buffer '" + input.path + "' changes in each run, and a state begins as one number; it is " +
                       (elements.empty() ? "empty"
                        : isOne          ? "of truths"
                                         : "a tensor of several") +
                       "; export the model in eval mode, or fill the buffer with one number");
  NetNode *node = values[input.value] = build.make(Op::State, {}, type, {.number = elements[0]});
  node->input = &input;
  node->name = input.path;
}

std::map<std::string, NetNode *> Canon::changed() const {
  std::map<std::string, NetNode *> found;
  for (const Input &input : graph->inputs) {
    auto value = values.find(input.value);
    if (input.kind != Input::Kind::Buffer || value == values.end())
      continue;
    for (const Output &output : graph->outputs)
      if (output.kind == Output::Kind::BufferMutation && output.path == input.path && values.contains(output.value))
        value = values.find(output.value);
    if (value->second != originals.at(input.value))
      found[input.value] = value->second;
  }
  return found;
}

/// The values of states after the run, or of parameters after the step, as rules of their own.
void Canon::takeNextStates() {
  std::map<std::string, NetNode *> next = changed();
  States &kept = build.net.states;
  for (NetNode &node : build.net.nodes)
    if (node.op == (trains ? Op::Parameter : Op::State))
      if (auto found = next.find(node.input->value); found != next.end() && states.contains(found->first))
        kept.push_back({&node, found->second});
  for (auto &[node, value] : kept) { // behind that loop, since these nodes are added
    build.source = value->source;
    value = build.convert(value, node->type.type);
    bool isRule = !value->isMap() && !value->isLeaf() && !value->isConstant && ends.insert(value).second;
    value = isRule ? value : build.make(Op::Itself, {value}, node->type);
  }
}

/// The results of a loop's body, whose operators become part of this net.
Nodes Canon::inlined(const Node &loop, const char *name, Nodes inputs) {
  auto found = std::find_if(loop.bodies.begin(), loop.bodies.end(), [&](auto &body) { return body.first == name; });
  if (found == loop.bodies.end() || found->second->inputs.size() != inputs.size())
    throw CannotImport("a loop whose body has inputs that are no tensors");
  for (const auto &[value, type] : found->second->types)
    elementsOf(type.shape);
  Frame before = std::exchange(static_cast<Frame &>(*this), {found->second.get(), outer ? outer : &loop});
  Nodes outputs;
  bool isWhole = false;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string &name = graph->inputs[i].value;
      requireShape(inputs[i], graph->types.at(name));
      values[name] = inputs[i];
    }
    for (const Node &node : graph->nodes)
      takeNode(node);
    for (const Output &output : graph->outputs)
      if (auto value = values.find(output.value); value != values.end())
        outputs.push_back(value->second);
    isWhole = outputs.size() == graph->outputs.size() && !outputs.empty();
  } catch (...) {
    static_cast<Frame &>(*this) = std::move(before);
    throw;
  }
  static_cast<Frame &>(*this) = std::move(before);
  build.source = outer ? outer : &loop;
  if (!isWhole)
    throw CannotImport("a loop whose body has results of a type that plc has not");
  return outputs;
}

/// Beyond so many iterations a loop is not written out.
static constexpr int64_t mostIterations = 256;

Nodes Canon::whileLoop(const Node &node, Call &call) {
  Nodes carried = call.tensors("carried_inputs"), more = call.tensors("additional_inputs");
  for (int64_t iteration = 0;; ++iteration) {
    Nodes inputs = carried;
    inputs.insert(inputs.end(), more.begin(), more.end());
    std::optional<double> goesOn = numberOf(inlined(node, "cond_fn", inputs)[0]);
    if (!goesOn)
      throw CannotImport(
          "a loop whose number of iterations depends on values; give it a counter that starts at a number");
    if (*goesOn == 0)
      return carried;
    if (iteration == mostIterations)
      throw CannotImport("a loop of more than " + std::to_string(mostIterations) + " iterations");
    carried = inlined(node, "body_fn", inputs);
  }
}

/// Of each position along the first axis: what is carried, then what is collected.
Nodes Canon::scan(const Node &node, Call &call) {
  bool isMap = node.op == "map_impl";
  Nodes carried = isMap ? Nodes() : call.tensors("init"), xs = call.tensors("xs"),
        more = call.tensors(isMap ? "pos_args" : "additional_inputs");
  size_t kept = carried.size();
  int64_t count = xs.empty() || !xs[0] ? 0 : xs[0]->extent(0);
  if (count == 0 || count > mostIterations)
    throw CannotImport("a scan of " + std::to_string(count) + " positions; 1 to " + std::to_string(mostIterations) +
                       " are supported");
  std::vector<Nodes> collected;
  for (int64_t i = 0; i < count; ++i) {
    Nodes inputs = carried;
    for (NetNode *x : xs)
      inputs.push_back(build.select(x, 0, i));
    inputs.insert(inputs.end(), more.begin(), more.end());
    Nodes outputs = inlined(node, isMap ? "f" : "combine_fn", inputs);
    if (outputs.size() < kept)
      throw std::out_of_range("results of a body");
    carried.assign(outputs.begin(), outputs.begin() + std::ptrdiff_t(kept));
    collected.resize(outputs.size() - kept);
    for (size_t k = kept; k < outputs.size(); ++k)
      collected[k - kept].push_back(build.unsqueeze(outputs[k], 0));
  }
  for (const Nodes &each : collected)
    carried.push_back(build.cat(each, 0));
  return carried;
}

/// Loops are written out; both branches of a condition on values are computed.
Nodes Canon::loop(const Node &node, Call &call) {
  if (node.op == "while_loop")
    return whileLoop(node, call);
  if (node.op == "scan" || node.op == "map_impl")
    return scan(node, call);
  if (node.op == "cond") {
    NetNode *condition = call.tensor("pred");
    Nodes yes = inlined(node, "true_fn", call.tensors("operands")),
          no = inlined(node, "false_fn", call.tensors("operands"));
    for (size_t i = 0; i < yes.size(); ++i)
      yes[i] = build.map(Op::Where, {condition, yes[i], no.at(i)}, yes[i]->type.type);
    return yes;
  }
  throw CannotImport("");
}

void Canon::refuse(const Node &node, const std::string &why) {
  Refused &entry = refused[describe(node, *graph) + (why.empty() ? "" : ": " + why)];
  if (!entry.count++)
    entry.first = &node;
}

/// What a step throws is why the operator is refused.
void Canon::attempt(const Node &node, const std::function<void()> &step) {
  try {
    step();
  } catch (const CannotImport &why) {
    refuse(node, why.what());
  } catch (const std::logic_error &) {
    refuse(node, "its arguments do not fit the ranks of its tensors");
  }
}

/// What an operator makes has the shape that the graph says; so has each value that is read under a name.
void Canon::requireShape(const NetNode *value, const TensorType &type) {
  if (value->shape() != type.shape)
    throw CannotImport("its result is " + typeText(value->type) + ", and the graph says " + typeText(type));
}

void Canon::takeNode(const Node &node) {
  build.spend(1);
  // Assertions of sizes are true at the exported ones.
  if (node.results.empty() || node.op.starts_with("_assert") || node.op.starts_with("sym_"))
    return;
  if (std::all_of(node.results.begin(), node.results.end(),
                  [&](const std::string &name) { return !graph->types.contains(name); }))
    return;
  std::string name = node.op;
  bool isInPlace = name.ends_with('_') && !name.starts_with('_');
  if (isInPlace)
    name.pop_back();
  bool isKnown = node.library == "aten" || node.library == "prim" || node.library == "transformers";
  Handler handler = isKnown ? findHandler(name) : Handler();
  build.source = outer ? outer : &node;
  Call call(build, *graph, values, node);
  call.results.resize(node.results.size());
  attempt(node, [&] {
    if (node.library == "higher_order")
      call.results = loop(node, call);
    else if (!handler)
      throw CannotImport("");
    else if (NetNode *result = handler(call))
      call.results[0] = result;
    for (const auto &[argument, value] : call.changed)
      replace(call.nameOf(argument.c_str()), value);
  });
  call.results.resize(node.results.size());
  for (size_t i = 0; i < node.results.size(); ++i) {
    auto type = graph->types.find(node.results[i]);
    if (type == graph->types.end())
      continue;
    NetNode *&made = call.results[i];
    if (made && made->shape() != type->second.shape) {
      attempt(node, [&] { requireShape(made, type->second); });
      made = nullptr;
    }
    // What is unknown stands for itself, so that the operators behind it are looked at, too.
    values[node.results[i]] = made ? made : build.make(Op::Input, {}, type->second);
  }
  const std::string *self = selfOf(node);
  if (isInPlace && self)
    attempt(node, [&] { replace(*self, values[node.results[0]]); });
  else if (self && isAlias(name))
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
  NetNode *x = map ? map->operand(0) : nullptr;
  switch (x ? map->op : Op::Input) {
  case Op::View: return build.view(value, x->shape());
  case Op::Permute: {
    Shape inverse(map->ints.size());
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
  if (!value)
    throw CannotImport("its result has no type");
  for (auto alias = aliases.find(name); alias != aliases.end(); alias = aliases.find(name)) {
    std::string parent = *selfOf(*alias->second);
    for (NetNode *map = values[name]; map != values[parent]; map = map->operands[0])
      value = unmapped(map, value);
    name = parent;
  }
  if (NetNode *&old = values[name]; !old || old->shape() != value->shape())
    throw CannotImport("it changes the type of a tensor in place");
  else
    old = value;
  build.spend(double(graph->nodes.size()) / 64);
  // Views are taken anew, in the order in which they were made.
  std::set<std::string> changed = {name};
  for (const Node &node : graph->nodes) {
    const std::string *self = selfOf(node);
    bool isView = self && changed.contains(*self) && !node.results.empty() && aliases.contains(node.results[0]) &&
                  aliases[node.results[0]] == &node;
    if (!isView)
      continue;
    changed.insert(node.results.begin(), node.results.end());
    takeNode(node);
  }
}

/// A result that only looks at another value in part, at an input, at another result or at sizes is a rule, too.
NetNode *Canon::ownResult(NetNode *output) {
  NetNode *end = output;
  bool isPlain = true;
  for (; end->isMap() && !end->formula; end = end->operands[0])
    isPlain &= end->op == Op::View || end->op == Op::Permute || end->op == Op::Copy;
  if (isPlain && !end->isLeaf() && !end->isConstant && ends.insert(end).second)
    return output;
  return build.make(Op::Itself, {output}, output->type);
}

void Canon::takeOutputs() {
  Net &net = build.net;
  build.source = nullptr;
  for (const Output &output : graph->outputs) {
    auto found = values.find(output.value);
    if (output.kind == Output::Kind::BufferMutation)
      continue;
    if (found == values.end())
      throw CannotImport("the result '" + output.value + "' is no tensor of a type of plc");
    net.outputs.push_back(ownResult(found->second));
    net.outputNames.push_back(output.kind == Output::Kind::Loss ? "loss" : output.path);
  }
  if (net.outputs.empty())
    throw CannotImport("the model has no tensor among its results");
}

Net Canon::run() {
  for (const auto &[name, type] : graph->types)
    elementsOf(type.shape);
  for (const Input &input : graph->inputs)
    takeInput(input);
  originals = values;
  for (const Node &node : graph->nodes)
    takeNode(node);
  if (!refused.empty()) {
    std::string text =
        "cannot import " + std::to_string(refused.size()) + (refused.size() == 1 ? " operator:" : " operators:");
    for (const auto &[what, entry] : refused)
      text += "\n  " + what + ", " + (entry.count == 1 ? "once" : std::to_string(entry.count) + " times, first") +
              placeOf(entry.first->source);
    throw CannotImport(text);
  }
  takeNextStates();
  matchJoins(build.net);
  takeOutputs();
  return std::move(build.net);
}

std::optional<size_t> plc::import::findLoss(const Net &net) {
  for (size_t i = 0; i < net.outputs.size(); ++i)
    if (net.outputNames[i] == "loss" || (net.outputs.size() == 1 && net.outputs[i]->rank() == 0))
      return i;
  return std::nullopt;
}

Net plc::import::makeNet(const ImportedModel &model, bool addsLoss) {
  // The first time shows which buffers change.
  std::set<std::string> states;
  Canon canon(model, states, /*trains=*/false);
  Net net = canon.run();
  for (const auto &[name, value] : canon.changed())
    states.insert(name);
  return states.empty() ? std::move(net) : Canon(model, states, addsLoss || findLoss(net)).run();
}

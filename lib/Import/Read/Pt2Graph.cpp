// Reads graphs, nodes and arguments of torch.export's schema 8 (torch/_export/serde/schema.py).
#include "Read/Pt2Graph.h"

#include "Read/NodeTrace.h"
#include "Read/Pt2Tensor.h"
#include "Read/ReadError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace plc::import {

namespace {

/// The names of the arguments of operators that have bodies: their schemas are not in the file.
struct BodyOperator {
  const char *name;
  std::vector<const char *> arguments;
};
const BodyOperator bodyOperators[] = {
    {"while_loop", {"cond_fn", "body_fn", "carried_inputs", "additional_inputs"}},
    {"scan", {"combine_fn", "init", "xs", "additional_inputs"}},
    {"associative_scan", {"combine_fn", "xs", "additional_inputs"}},
    {"map_impl", {"f", "xs", "pos_args"}},
    {"cond", {"pred", "true_fn", "false_fn", "operands"}},
};

/// Reads one graph: that of the model, or a body of a loop. A body sees only its own values.
class GraphReader {
public:
  explicit GraphReader(const JsonNode &source) : source(source) {}
  Graph read(const JsonNode *signature);

private:
  void readValues();
  void readNode(const JsonNode &json);
  void readArguments(const JsonNode &json, Node &node);
  Argument readArgument(const JsonNode &value, const std::string &name, Node &node);
  void readResults(const JsonNode &json, Node &node);
  void define(const std::string &name, const JsonNode &at);
  ValueName use(const JsonNode &tensor);
  void clearUnused();

  JsonNode source;
  Graph graph;
  std::map<std::string, double> reals; // of values that are numbers, at export
  std::map<std::string, bool> truths;
  llvm::StringSet<> defined, used;
};

} // namespace

static int64_t integerOf(const JsonNode &value) { return value.integer(INT64_MIN, INT64_MAX); }

/// JSON has no infinite numbers, so they are words.
static double realOf(const JsonNode &value) {
  struct Word {
    const char *name;
    double value;
  };
  static constexpr Word words[] = {{"Infinity", HUGE_VAL}, {"-Infinity", -HUGE_VAL}, {"NaN", NAN}};
  return value.isString() ? value.choose(words).value : value.number();
}

static bool truthOf(const JsonNode &value) { return value.boolean(); }

/// A number of kind `kind`, or the name of a symbol: then its value at export.
template <class Number, class Read>
static Number symbol(const JsonNode &value, const char *kind, const std::map<std::string, Number> &known, Read plain) {
  std::optional<JsonNode> name = value.find("as_name");
  if (!name)
    return plain(value[kind]);
  auto found = known.find(name->string());
  if (found == known.end())
    value.fail("is the number '" + name->string() +
               "', which depends on data and has no value at export; export the model with fixed sizes");
  return found->second;
}

/// Reads the values at export of all symbols of a kind.
template <class Number, class Read>
static void readSymbols(const JsonNode &graph, const char *key, const char *kind, Read plain,
                        std::map<std::string, Number> &into) {
  std::optional<JsonNode> symbols = graph.find(key);
  if (!symbols)
    return;
  for (auto &[name, value] : symbols->members()) {
    std::optional<JsonNode> expression = value.find("as_expr"), hint = expression ? expression->find("hint") : value;
    if (hint)
      into[name] = plain((*hint)[kind]);
  }
}

void GraphReader::readValues() {
  readSymbols(source, "sym_int_values", "as_int", integerOf, graph.numbers);
  readSymbols(source, "sym_float_values", "as_float", realOf, reals);
  readSymbols(source, "sym_bool_values", "as_bool", truthOf, truths);
  for (auto &[name, meta] : source["tensor_values"].members()) {
    Pt2Tensor tensor = readPt2Tensor(meta, "value '" + name + "'");
    if (tensor.type)
      graph.types[name] = {*tensor.type, std::move(tensor.sizes)};
    else
      graph.otherTypes[name] = tensor.typeName;
  }
}

void GraphReader::define(const std::string &name, const JsonNode &at) {
  if (name.empty() || !defined.insert(name).second)
    at.fail("defines '" + name + "', which is defined already; expected each value once");
  if (!graph.types.count(name) && !graph.otherTypes.count(name))
    at.fail("defines '" + name + "', which has no type in 'tensor_values'");
}

ValueName GraphReader::use(const JsonNode &tensor) {
  std::string name = tensor["name"].string();
  if (!defined.contains(name))
    tensor.fail("reads '" + name + "', which nothing before it defines");
  used.insert(name);
  return {name};
}

/// "torch.ops.LIBRARY.OPERATOR.OVERLOAD", or a function of Python on sizes: "_operator.mul".
static void readTarget(StringRef target, Node &node) {
  target.consume_front("torch.ops.");
  auto [library, rest] = target.split('.');
  auto [op, overload] = rest.split('.');
  node.library = library;
  node.op = op;
  node.overload = overload;
}

Argument GraphReader::readArgument(const JsonNode &value, const std::string &name, Node &node) {
  auto tensor = [&](const JsonNode &each) { return use(each); };
  auto optional = [&](const JsonNode &each) { return each.has("as_tensor") ? use(each["as_tensor"]) : ValueName(); };
  auto size = [&](const JsonNode &each) { return symbol(each, "as_int", graph.numbers, integerOf); };
  auto real = [&](const JsonNode &each) { return symbol(each, "as_float", reals, realOf); };
  auto members = value.members();
  std::string kind = members.size() == 1 ? members.front().first : "";
  auto is = [&](StringRef wanted) { return wanted == kind; };
  JsonNode held = members.size() == 1 ? members.front().second : value;
  if (is("as_none"))
    return std::monostate();
  if (is("as_tensor"))
    return use(held);
  if (is("as_tensors"))
    return held.list(tensor);
  if (is("as_optional_tensor"))
    return held.has("as_tensor") ? Argument(optional(held)) : std::monostate();
  if (is("as_optional_tensors"))
    return held.list(optional);
  if (is("as_bool"))
    return truthOf(held);
  if (is("as_bools"))
    return held.list([](const JsonNode &each) { return int64_t(truthOf(each)); });
  if (is("as_int") || is("as_layout") || is("as_memory_format"))
    return integerOf(held);
  if (is("as_ints"))
    return held.list(integerOf);
  if (is("as_float"))
    return realOf(held);
  if (is("as_floats"))
    return held.list(realOf);
  if (is("as_string"))
    return held.string();
  if (is("as_sym_int"))
    return size(held);
  if (is("as_sym_ints"))
    return held.list(size);
  if (is("as_sym_float"))
    return real(held);
  if (is("as_sym_floats"))
    return held.list(real);
  if (is("as_sym_bool"))
    return symbol(held, "as_bool", truths, truthOf);
  if (is("as_device"))
    return held["type"].string();
  if (is("as_scalar_type")) {
    auto [type, typeName] = readPt2Type(held);
    return type ? Argument(*type) : std::string(typeName);
  }
  if (!is("as_graph"))
    value.fail("is of kind '" + kind + "', which only operators have that do not compute on tensors; leave '" +
               node.op + "' out of the model");
  node.bodies.emplace_back(name, std::make_shared<Graph>(GraphReader(held["graph"]).read(nullptr)));
  return held["name"].string();
}

void GraphReader::readArguments(const JsonNode &json, Node &node) {
  const BodyOperator *known = nullptr;
  for (const BodyOperator &each : bodyOperators)
    if (node.op == each.name)
      known = &each;
  for (const JsonNode &input : json["inputs"].elements()) {
    std::string name = input["name"].string();
    size_t index = node.arguments.size();
    if (name.empty())
      name = known && index < known->arguments.size() ? known->arguments[index] : "arg" + std::to_string(index);
    Argument value = readArgument(input["arg"], name, node);
    node.arguments.emplace_back(name, std::move(value));
  }
}

void GraphReader::readResults(const JsonNode &json, Node &node) {
  auto add = [&](const JsonNode &tensor) {
    node.results.push_back(tensor["name"].string());
    define(node.results.back(), tensor);
  };
  for (const JsonNode &output : json["outputs"].elements()) {
    std::optional<JsonNode> tensor = output.find("as_tensor"), tensors = output.find("as_tensors"),
                            optionals = output.find("as_optional_tensors");
    if (tensor)
      add(*tensor);
    else if (!tensors && !optionals) // a number, which has been read already, or none
      node.results.emplace_back();
    for (const JsonNode &each : tensors ? tensors->elements() : std::vector<JsonNode>())
      add(each);
    for (const JsonNode &each : optionals ? optionals->elements() : std::vector<JsonNode>())
      if (each.has("as_tensor"))
        add(each["as_tensor"]);
      else
        node.results.emplace_back();
  }
}

/// Whether a node is about sizes alone: it computes some, or compares them with those at export.
static bool isOfSizes(const JsonNode &json, const Node &node) {
  StringRef op = node.op;
  auto outputs = json["outputs"].elements();
  if (outputs.empty())
    return op.starts_with("_assert") || op.starts_with("sym_constrain");
  return llvm::all_of(outputs, [](const JsonNode &output) {
    return output.has("as_int") || output.has("as_sym_int") || output.has("as_sym_float") || output.has("as_sym_bool");
  });
}

void GraphReader::readNode(const JsonNode &json) {
  Node node;
  readTarget(json["target"].string(), node);
  if (isOfSizes(json, node))
    return;
  readArguments(json, node);
  readResults(json, node);
  JsonNode metadata = json["metadata"];
  node.modules = moduleFrames(metadata.stringOr("nn_module_stack", ""));
  node.source = userLine(metadata.stringOr("stack_trace", ""));
  graph.nodes.push_back(std::move(node));
}

/// Of several results only those have a name that something reads.
void GraphReader::clearUnused() {
  for (Node &node : graph.nodes)
    if (node.results.size() > 1)
      for (std::string &result : node.results)
        if (!used.contains(result))
          result.clear();
}

Graph GraphReader::read(const JsonNode *signature) {
  readValues();
  auto nodes = source["nodes"].elements();
  if (nodes.size() > mostNodes)
    throw ReadError("has " + std::to_string(nodes.size()) + " nodes, expected " + std::to_string(mostNodes) +
                    " at most; export a part of the model, or use loop operators as 'scan'");
  graph.inputs = signature ? readPt2Inputs(*signature) : readPt2BodyInputs(source);
  for (Input &input : graph.inputs) {
    if (auto other = graph.otherTypes.find(input.value); other != graph.otherTypes.end())
      throw ReadError("input '" + input.value + "' has " + refusedType(other->second));
    define(input.value, source["inputs"]);
    if (std::optional<JsonNode> needed = source["tensor_values"][input.value].find("requires_grad"))
      input.isTrained = needed->boolean();
  }
  for (const JsonNode &node : nodes)
    readNode(node);
  graph.outputs = signature ? readPt2Outputs(*signature) : readPt2BodyOutputs(source);
  for (const Output &output : graph.outputs)
    if (used.insert(output.value); !defined.contains(output.value))
      source["outputs"].fail("has '" + output.value + "', which no node defines");
  clearUnused();
  return std::move(graph);
}

Graph readPt2Graph(const JsonNode &program) {
  JsonNode module = program["graph_module"];
  return GraphReader(module["graph"]).read(&module);
}

} // namespace plc::import

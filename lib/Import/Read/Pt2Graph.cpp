// Reads graphs, nodes and arguments of torch.export's schema 8 (torch/_export/serde/schema.py).
#include "Read/Pt2Graph.h"

#include "Read/NodeTrace.h"
#include "Read/Pt2Signature.h"
#include "Read/Pt2Tensor.h"
#include "Read/ReadError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace plc::import {

namespace {

constexpr size_t mostNodes = 100'000; // ten times an unrolled model of a hundred blocks

/// The kinds of `Argument` that have a meaning here. The others are those of operators that do not compute on tensors.
enum class ArgumentKind {
  None,
  Tensor,
  Tensors,
  OptionalTensor,
  OptionalTensors,
  Bool,
  Bools,
  Int,
  Ints,
  Float,
  Floats,
  String,
  SymInt,
  SymInts,
  SymFloat,
  SymFloats,
  SymBool,
  Type,
  Layout,
  Device,
  Body
};
struct KindRow {
  const char *name;
  ArgumentKind kind;
};
constexpr KindRow kinds[] = {{"as_none", ArgumentKind::None},
                             {"as_tensor", ArgumentKind::Tensor},
                             {"as_tensors", ArgumentKind::Tensors},
                             {"as_optional_tensor", ArgumentKind::OptionalTensor},
                             {"as_optional_tensors", ArgumentKind::OptionalTensors},
                             {"as_bool", ArgumentKind::Bool},
                             {"as_bools", ArgumentKind::Bools},
                             {"as_int", ArgumentKind::Int},
                             {"as_ints", ArgumentKind::Ints},
                             {"as_float", ArgumentKind::Float},
                             {"as_floats", ArgumentKind::Floats},
                             {"as_string", ArgumentKind::String},
                             {"as_sym_int", ArgumentKind::SymInt},
                             {"as_sym_ints", ArgumentKind::SymInts},
                             {"as_sym_float", ArgumentKind::SymFloat},
                             {"as_sym_floats", ArgumentKind::SymFloats},
                             {"as_sym_bool", ArgumentKind::SymBool},
                             {"as_scalar_type", ArgumentKind::Type},
                             {"as_memory_format", ArgumentKind::Layout},
                             {"as_layout", ArgumentKind::Layout},
                             {"as_device", ArgumentKind::Device},
                             {"as_graph", ArgumentKind::Body}};

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
  void readTarget(std::string target, Node &node) const;
  void readArguments(const JsonNode &json, Node &node);
  Argument readArgument(const JsonNode &value, const std::string &name, Node &node);
  void readResults(const JsonNode &json, Node &node);
  bool isOfSizes(const JsonNode &json, const Node &node) const;
  void define(const std::string &name, const JsonNode &place);
  ValueName use(const std::string &name, const JsonNode &place);
  void clearUnused();

  template <class Number>
  Number symbol(const JsonNode &value, const std::map<std::string, Number> &known, Number (*plain)(const JsonNode &));

  JsonNode source;
  Graph graph;
  std::map<std::string, double> reals;
  std::map<std::string, bool> truths;
  llvm::StringSet<> defined, used;
};

} // namespace

static KindRow kindOf(const JsonNode &argument) {
  auto members = argument.members();
  if (members.size() != 1)
    argument.fail("has " + std::to_string(members.size()) + " members, expected one that names its kind");
  for (const KindRow &row : kinds)
    if (members.front().first == row.name)
      return row;
  argument.fail("is of kind '" + members.front().first +
                "', which only operators have that do not compute on tensors; leave the operator out of the model");
}

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

/// A number that may be the name of a symbol: its value at export.
template <class Number>
Number GraphReader::symbol(const JsonNode &value, const std::map<std::string, Number> &known,
                           Number (*plain)(const JsonNode &)) {
  std::optional<JsonNode> name = value.find("as_name");
  if (!name)
    return plain(value.members().size() == 1 ? value.members().front().second : value["as_int"]);
  auto found = known.find(name->string());
  if (found == known.end())
    value.fail("is the number '" + name->string() +
               "', which depends on data and has no value at export; export the model with fixed sizes");
  return found->second;
}

void GraphReader::readValues() {
  for (auto &[name, size] : source["sym_int_values"].members())
    if (std::optional<int64_t> value = readPt2Size(size))
      graph.numbers[name] = *value;
  auto readHints = [&](const char *key, const char *kind, auto &into, auto readNumber) {
    std::optional<JsonNode> values = source.find(key);
    if (!values)
      return;
    for (auto &[name, value] : values->members())
      if (std::optional<JsonNode> expression = value.find("as_expr"); !expression)
        into[name] = readNumber(value[kind]);
      else if (std::optional<JsonNode> hint = expression->find("hint"))
        into[name] = readNumber((*hint)[kind]);
  };
  readHints("sym_float_values", "as_float", reals, realOf);
  readHints("sym_bool_values", "as_bool", truths, [](const JsonNode &value) { return value.boolean(); });
  for (auto &[name, meta] : source["tensor_values"].members()) {
    Pt2Tensor tensor = readPt2Tensor(meta, "value '" + name + "'");
    if (tensor.type)
      graph.types[name] = {*tensor.type, std::move(tensor.sizes)};
    else
      graph.otherTypes[name] = tensor.typeName;
  }
}

void GraphReader::define(const std::string &name, const JsonNode &place) {
  if (name.empty() || !defined.insert(name).second)
    place.fail("defines '" + name + "', which is defined already; expected each value once");
  if (!graph.types.count(name) && !graph.otherTypes.count(name))
    place.fail("defines '" + name + "', which has no type in 'tensor_values'");
}

ValueName GraphReader::use(const std::string &name, const JsonNode &place) {
  if (!defined.contains(name))
    place.fail("reads '" + name + "', which nothing before it defines");
  used.insert(name);
  return {name};
}

/// "torch.ops.LIBRARY.OPERATOR.OVERLOAD", or a function of Python on sizes: "_operator.mul".
void GraphReader::readTarget(std::string target, Node &node) const {
  StringRef rest = target, library, op, overload;
  rest.consume_front("torch.ops.");
  std::tie(library, rest) = rest.split('.');
  std::tie(op, overload) = rest.split('.');
  node.library = library;
  node.op = op;
  node.overload = overload;
}

Argument GraphReader::readArgument(const JsonNode &value, const std::string &name, Node &node) {
  KindRow row = kindOf(value);
  JsonNode held = value[row.name];
  auto tensor = [&](const JsonNode &each) { return use(each["name"].string(), each); };
  auto optional = [&](const JsonNode &each) {
    return each.find("as_tensor") ? tensor(each["as_tensor"]) : ValueName();
  };
  auto size = [&](const JsonNode &each) { return symbol(each, graph.numbers, integerOf); };
  auto real = [&](const JsonNode &each) { return symbol(each, reals, realOf); };
  using enum ArgumentKind;
  switch (row.kind) {
  case None: return std::monostate();
  case Tensor: return tensor(held);
  case Tensors: return held.list(tensor);
  case OptionalTensor: return held.has("as_tensor") ? Argument(tensor(held["as_tensor"])) : std::monostate();
  case OptionalTensors: return held.list(optional);
  case Bool: return held.boolean();
  case Bools: return held.list([](const JsonNode &each) { return int64_t(each.boolean()); });
  case Int: return integerOf(held);
  case Ints: return held.list(integerOf);
  case Float: return realOf(held);
  case Floats: return held.list(realOf);
  case String: return held.string();
  case SymInt: return size(held);
  case SymInts: return held.list(size);
  case SymFloat: return real(held);
  case SymFloats: return held.list(real);
  case SymBool: return symbol<bool>(held, truths, [](const JsonNode &each) { return each.boolean(); });
  case Type: {
    auto [type, typeName] = readPt2Type(held);
    return type ? Argument(*type) : std::string(typeName);
  }
  case Layout: return integerOf(held);
  case Device: return held["type"].string();
  case Body:
    node.bodies.emplace_back(name, std::make_shared<Graph>(GraphReader(held["graph"]).read(nullptr)));
    return held["name"].string();
  }
  llvm_unreachable("all kinds are cases");
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
    KindRow row = kindOf(output);
    JsonNode held = output[row.name];
    switch (row.kind) {
    case ArgumentKind::Tensor: add(held); break;
    case ArgumentKind::Tensors:
      for (const JsonNode &each : held.elements())
        add(each);
      break;
    case ArgumentKind::OptionalTensors:
      for (const JsonNode &each : held.elements())
        if (each.has("as_tensor"))
          add(each["as_tensor"]);
        else
          node.results.emplace_back();
      break;
    default: node.results.emplace_back(); // a number, which has been read already, or none
    }
  }
}

/// Whether a node is about sizes alone: it computes some, or compares them with those at export.
bool GraphReader::isOfSizes(const JsonNode &json, const Node &node) const {
  StringRef op = node.op;
  auto outputs = json["outputs"].elements();
  if (outputs.empty())
    return op.starts_with("_assert") || op.starts_with("sym_constrain");
  using enum ArgumentKind;
  return llvm::all_of(outputs, [](const JsonNode &output) {
    return llvm::is_contained({Int, SymInt, SymFloat, SymBool}, kindOf(output).kind);
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
  for (const Input &input : graph.inputs) {
    if (auto other = graph.otherTypes.find(input.value); other != graph.otherTypes.end())
      throw ReadError("input '" + input.value + "' has " + refusedType(other->second));
    define(input.value, source["inputs"]);
  }
  for (const JsonNode &node : nodes)
    readNode(node);
  graph.outputs = signature ? readPt2Outputs(*signature) : readPt2BodyOutputs(source);
  for (const Output &output : graph.outputs)
    use(output.value, source["outputs"]);
  clearUnused();
  return std::move(graph);
}

Graph readPt2Graph(const JsonNode &program) {
  JsonNode module = program["graph_module"];
  return GraphReader(module["graph"]).read(&module);
}

} // namespace plc::import

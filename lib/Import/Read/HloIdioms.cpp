// Finds what JAX's library functions have become: means, softmax, gelu, norms. One node of ATen stands for
// each.
#include "Read/HloGraph.h"

#include "plc/Import/PrintGraph.h"

using llvm::StringRef;

namespace plc::import {

namespace {

/// Rewrites nodes from first to last. Equal nodes of one module are one, so that equal values have one name.
class Idioms {
public:
  explicit Idioms(Graph &graph) : graph(graph) {}
  void run();

private:
  void rename(Node &node);
  bool isRepeated(const Node &node);
  const Node *madeBy(const std::string &name, StringRef op) const;
  /// The same of a value that is perhaps repeated along new axes.
  const Node *spread(const std::string &name, StringRef op) const;
  std::string operand(const Node &node, size_t index) const;
  std::optional<double> number(const std::string &name) const;
  /// The other operand of an operator of two, if one is a number near `wanted`.
  std::optional<std::string> besides(const Node *node, double wanted) const;
  /// The axis of a reduction over one.
  std::optional<int64_t> axisOf(const Node *node, const std::string &of) const;
  const TensorType &type(const std::string &name) const { return graph.types.at(name); }
  void become(Node &node, const char *op, const char *overload,
              std::vector<std::pair<std::string, Argument>> arguments) const;

  bool mean(Node &node);
  bool softmax(Node &node) const;
  bool logSoftmax(Node &node) const;
  bool norm(Node &node) const;
  bool scaled(Node &node, size_t argument) const;
  bool gelu(Node &node) const;
  bool relu(Node &node) const;

  Graph &graph;
  std::vector<Node> nodes;
  std::map<std::string, size_t, std::less<>> makers; // of values: indices in `nodes`
  std::map<std::string, std::string> keys, same;     // nodes by their texts; values that another one is equal to
};

} // namespace

void Idioms::rename(Node &node) {
  forEachRead(node, [&](ValueName &value) {
    if (auto found = same.find(value.name); found != same.end())
      value.name = found->second;
  });
}

bool Idioms::isRepeated(const Node &node) {
  if (node.results.size() != 1 || node.library != std::string("aten"))
    return false;
  std::string key = node.op + "." + node.overload + (node.modules.empty() ? "" : node.modules.back().path);
  for (const auto &[name, argument] : node.arguments)
    key += " " + textOf(argument) + (std::holds_alternative<double>(argument) ? "r" : "");
  auto [first, isNew] = keys.try_emplace(key, node.results.front());
  if (!isNew)
    same[node.results.front()] = first->second;
  return !isNew;
}

const Node *Idioms::madeBy(const std::string &name, StringRef op) const {
  auto found = makers.find(name);
  return found != makers.end() && nodes[found->second].op == op ? &nodes[found->second] : nullptr;
}

const Node *Idioms::spread(const std::string &name, StringRef op) const {
  std::string at = name;
  for (StringRef move : {"expand", "view"})
    if (const Node *moved = madeBy(at, move)) {
      // Axes of size 1 come and go; the others keep their order.
      Shape from = type(operand(*moved, 0)).shape, to = type(at).shape;
      if (move == StringRef("view") && (llvm::erase(from, 1), llvm::erase(to, 1), from != to))
        return nullptr;
      at = operand(*moved, 0);
    }
  return madeBy(at, op);
}

std::string Idioms::operand(const Node &node, size_t index) const {
  const auto *value = index < node.arguments.size() ? std::get_if<ValueName>(&node.arguments[index].second) : nullptr;
  return value ? value->name : "";
}

std::optional<double> Idioms::number(const std::string &name) const {
  const Node *full = madeBy(name, "full");
  if (!full)
    return std::nullopt;
  const Argument &value = full->arguments[1].second;
  if (const auto *real = std::get_if<double>(&value))
    return *real;
  return static_cast<double>(std::get<int64_t>(value));
}

std::optional<std::string> Idioms::besides(const Node *node, double wanted) const {
  for (size_t i : {0, 1})
    if (std::optional<double> found = node ? number(operand(*node, i)) : std::nullopt)
      if (std::abs(*found - wanted) <= 1e-3 * std::abs(wanted))
        return operand(*node, 1 - i);
  return std::nullopt;
}

std::optional<int64_t> Idioms::axisOf(const Node *node, const std::string &of) const {
  if (!node || operand(*node, 0) != of)
    return std::nullopt;
  const auto &dims = std::get<Shape>(node->arguments[1].second);
  return dims.size() == 1 ? std::optional(dims[0]) : std::nullopt;
}

void Idioms::become(Node &node, const char *op, const char *overload,
                    std::vector<std::pair<std::string, Argument>> arguments) const {
  node.op = op;
  node.overload = overload;
  node.arguments = std::move(arguments);
}

/// sum(x) / N, where the sum may have got axes of size 1.
bool Idioms::mean(Node &node) {
  std::optional<double> count = number(operand(node, 1));
  const Node *sum = spread(operand(node, 0), "sum");
  if (!count || !sum || madeBy(operand(node, 0), "expand"))
    return false;
  std::string x = operand(*sum, 0);
  auto dims = std::get<Shape>(sum->arguments[1].second);
  double summed = 1;
  for (int64_t dim : dims)
    summed *= static_cast<double>(type(x).shape[static_cast<size_t>(dim)]);
  if (*count != summed)
    return false;
  std::vector<std::pair<std::string, Argument>> arguments{{"self", ValueName{x}}, {"dim", dims}, {"keepdim", false}};
  if (type(sum->results.front()).shape == type(node.results.front()).shape) {
    become(node, "mean", "dim", std::move(arguments));
    return true;
  }
  Node whole{"mean",       "dim",       "aten", std::move(arguments), {node.results.front() + "_mean"},
             node.modules, node.source, {}};
  graph.types[whole.results.front()] = type(sum->results.front());
  become(node, "view", "default",
         {{"self", ValueName{whole.results.front()}}, {"size", type(node.results.front()).shape}});
  if (!isRepeated(whole)) {
    makers[whole.results.front()] = nodes.size();
    nodes.push_back(std::move(whole));
  }
  rename(node);
  return true;
}

/// e / sum(e), where e = exp(x - max(x)).
bool Idioms::softmax(Node &node) const {
  const Node *exp = madeBy(operand(node, 0), "exp"), *sub = exp ? madeBy(operand(*exp, 0), "sub") : nullptr;
  if (!sub)
    return false;
  std::string x = operand(*sub, 0);
  std::optional<int64_t> axis = axisOf(spread(operand(node, 1), "sum"), operand(node, 0));
  if (!axis || axisOf(spread(operand(*sub, 1), "amax"), x) != axis)
    return false;
  become(node, "_softmax", "default", {{"self", ValueName{x}}, {"dim", *axis}, {"half_to_float", false}});
  return true;
}

/// d - log(sum(exp(d))), where d = x - max(x).
bool Idioms::logSoftmax(Node &node) const {
  std::string shifted = operand(node, 0);
  const Node *sub = madeBy(shifted, "sub"), *log = spread(operand(node, 1), "log");
  const Node *sum = log ? spread(operand(*log, 0), "sum") : nullptr;
  const Node *exp = sum ? madeBy(operand(*sum, 0), "exp") : nullptr;
  if (!sub || !exp || operand(*exp, 0) != shifted)
    return false;
  std::string x = operand(*sub, 0);
  std::optional<int64_t> axis = axisOf(sum, operand(*sum, 0));
  if (!axis || axisOf(spread(operand(*sub, 1), "amax"), x) != axis)
    return false;
  become(node, "_log_softmax", "default", {{"self", ValueName{x}}, {"dim", *axis}, {"half_to_float", false}});
  return true;
}

/// d * rsqrt(v + eps) or d / sqrt(v + eps) on the last axis, where d = x - mean(x) and v = mean(d * d).
bool Idioms::norm(Node &node) const {
  bool isQuotient = node.op == std::string("div");
  const Node *sub = madeBy(operand(node, 0), "sub"), *root = spread(operand(node, 1), isQuotient ? "sqrt" : "rsqrt"),
             *add = root ? spread(operand(*root, 0), "add") : nullptr;
  if (!sub || !add)
    return false;
  std::string x = operand(*sub, 0);
  std::optional<double> eps = number(operand(*add, 1));
  const Node *variance = spread(operand(*add, 0), "mean");
  const Node *square = variance ? madeBy(operand(*variance, 0), "mul") : nullptr;
  std::optional<int64_t> axis = axisOf(spread(operand(*sub, 1), "mean"), x);
  if (!eps || !square || operand(*square, 0) != operand(node, 0) || operand(*square, 1) != operand(node, 0) || !axis ||
      axisOf(variance, operand(*variance, 0)) != axis || *axis + 1 != static_cast<int64_t>(type(x).shape.size()))
    return false;
  become(node, "layer_norm", "default",
         {{"input", ValueName{x}},
          {"normalized_shape", Shape{type(x).shape.back()}},
          {"weight", std::monostate()},
          {"bias", std::monostate()},
          {"eps", *eps}});
  return true;
}

/// layer_norm(x) * weight, or + bias: argument 2 or 3 of the norm. Each is one row, repeated.
bool Idioms::scaled(Node &node, size_t argument) const {
  const Node *norm = madeBy(operand(node, 0), "layer_norm"), *row = madeBy(operand(node, 1), "expand");
  const Node *view = row ? madeBy(operand(*row, 0), "view") : nullptr;
  if (!norm || !view || !operand(*norm, argument).empty() || (argument == 3 && operand(*norm, 2).empty()) ||
      type(operand(*view, 0)).shape != std::get<Shape>(norm->arguments[1].second) ||
      type(operand(*row, 0)).shape.back() != type(operand(*view, 0)).shape.back())
    return false;
  std::vector<std::pair<std::string, Argument>> arguments = norm->arguments;
  arguments[argument].second = ValueName{operand(*view, 0)};
  become(node, "layer_norm", "default", std::move(arguments));
  return true;
}

/// x * 0.5 * (1 + tanh(0.798 * (x + 0.0447 * x^3))), or 0.5 * x * (1 - erf(-0.707 * x)).
bool Idioms::gelu(Node &node) const {
  for (size_t i : {0, 1}) {
    std::string x = operand(node, i), other = operand(node, 1 - i);
    std::optional<std::string> half = besides(madeBy(other, "mul"), 0.5);
    std::optional<std::string> tanh = half ? besides(madeBy(*half, "add"), 1) : std::nullopt;
    const Node *curve = tanh ? madeBy(*tanh, "tanh") : nullptr;
    std::optional<std::string> inner = curve ? besides(madeBy(operand(*curve, 0), "mul"), 0.7978845608) : std::nullopt;
    if (const Node *add = inner ? madeBy(*inner, "add") : nullptr; add && operand(*add, 0) == x)
      if (std::optional<std::string> cube = besides(madeBy(operand(*add, 1), "mul"), 0.044715)) {
        const Node *last = madeBy(*cube, "mul"), *first = last ? madeBy(operand(*last, 0), "mul") : nullptr;
        if (first && operand(*last, 1) == x && operand(*first, 0) == x && operand(*first, 1) == x) {
          become(node, "gelu", "default", {{"self", ValueName{x}}, {"approximate", "tanh"}});
          return true;
        }
      }
    const Node *rest = madeBy(other, "rsub"), *erf = rest ? madeBy(operand(*rest, 0), "erf") : nullptr;
    std::optional<std::string> minus = erf ? besides(madeBy(operand(*erf, 0), "mul"), 0.7071067812) : std::nullopt;
    const Node *negated = minus ? madeBy(*minus, "neg") : nullptr;
    if (negated && besides(madeBy(x, "mul"), 0.5) == operand(*negated, 0)) {
      become(node, "gelu", "default", {{"self", ValueName{operand(*negated, 0)}}});
      return true;
    }
  }
  return false;
}

bool Idioms::relu(Node &node) const {
  if (number(operand(node, 1)) != 0.0 || !isReal(type(node.results.front()).type))
    return false;
  become(node, "relu", "default", {node.arguments.front()});
  return true;
}

void Idioms::run() {
  for (Node &node : graph.nodes) {
    rename(node);
    if (isRepeated(node))
      continue;
    StringRef op = node.library == std::string("aten") ? StringRef(node.op) : "";
    bool isFound = op == StringRef("div")       ? mean(node) || softmax(node) || norm(node)
                   : op == StringRef("sub")     ? logSoftmax(node)
                   : op == StringRef("mul")     ? norm(node) || scaled(node, 2) || gelu(node)
                   : op == StringRef("add")     ? scaled(node, 3)
                   : op == StringRef("maximum") ? relu(node)
                                                : false;
    // What a node has become may be there, too.
    if (isFound && isRepeated(node))
      continue;
    for (const std::string &result : node.results)
      makers[result] = nodes.size();
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  for (Output &output : graph.outputs)
    if (auto found = same.find(output.value); found != same.end())
      output.value = found->second;
}

void foldIdioms(Graph &graph) { Idioms(graph).run(); }

} // namespace plc::import

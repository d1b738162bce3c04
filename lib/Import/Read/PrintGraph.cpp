// Prints imported graphs.
#include "plc/Import/PrintGraph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

using llvm::raw_ostream;

namespace plc::import {

std::string textOf(const TensorType &type) {
  std::string text(nameOf(type.type));
  return text + "[" + llvm::join(llvm::map_range(type.shape, [](int64_t size) { return std::to_string(size); }), ", ") +
         "]";
}

namespace {
struct PrintArgument {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char text[32];
    return {text, std::to_chars(text, text + sizeof(text), value).ptr};
  }
  std::string operator()(const std::string &value) const { return "'" + value + "'"; }
  std::string operator()(ElementType value) const { return std::string(nameOf(value)); }
  std::string operator()(const ValueName &value) const { return value.name.empty() ? "none" : "%" + value.name; }
  template <class Element>
  std::string operator()(const std::vector<Element> &values) const {
    return "[" + llvm::join(llvm::map_range(values, *this), ", ") + "]";
  }
};
} // namespace

std::string textOf(const Argument &argument) { return std::visit(PrintArgument(), argument); }

static void printTyped(const Graph &graph, const std::string &name, raw_ostream &os) {
  os << "%" << name << ": ";
  if (auto type = graph.types.find(name); type != graph.types.end())
    os << textOf(type->second);
  else
    os << graph.otherTypes.at(name);
}

static void printNode(const Graph &graph, const Node &node, size_t indent, raw_ostream &os);

static void printBody(const Graph &graph, const Weights *weights, size_t indent, raw_ostream &os) {
  static constexpr const char *inputs[] = {"input", "parameter", "buffer", "constant"},
                              *outputs[] = {"output", "loss", "mutation"};
  for (const Input &input : graph.inputs) {
    os.indent(indent) << inputs[static_cast<size_t>(input.kind)] << " ";
    printTyped(graph, input.value, os);
    os << " '" << input.path << "'";
    if (weights && input.kind != Input::Kind::User)
      os << " in " << weights->storageOf(input);
    os << (input.isPersistent ? "\n" : " not persistent\n");
  }
  for (const Node &node : graph.nodes)
    printNode(graph, node, indent, os);
  for (const Output &output : graph.outputs) {
    os.indent(indent) << outputs[static_cast<size_t>(output.kind)] << " ";
    printTyped(graph, output.value, os);
    os << (output.path.empty() ? "" : " '" + output.path + "'") << "\n";
  }
}

static void printNode(const Graph &graph, const Node &node, size_t indent, raw_ostream &os) {
  os.indent(indent);
  llvm::interleaveComma(node.results, os, [&](const std::string &result) {
    if (result.empty())
      os << "_";
    else
      printTyped(graph, result, os);
  });
  os << " = " << node.library << "." << node.op << (node.overload.empty() ? "" : "." + node.overload) << "(";
  llvm::interleaveComma(node.arguments, os,
                        [&](const auto &argument) { os << argument.first << " = " << textOf(argument.second); });
  os << ")";
  if (!node.modules.empty())
    os << " in '" << node.modules.back().path << "': " << node.modules.back().type;
  if (node.source.line)
    os << " at " << llvm::sys::path::filename(node.source.file) << ":" << node.source.line
       << (node.source.text.empty() ? "" : ": " + node.source.text);
  os << "\n";
  for (const auto &[name, body] : node.bodies) {
    os.indent(indent + 2) << name << ":\n";
    printBody(*body, nullptr, indent + 4, os);
  }
}

void printGraph(const ImportedModel &model, raw_ostream &os) { printBody(model.graph, model.weights.get(), 0, os); }

} // namespace plc::import

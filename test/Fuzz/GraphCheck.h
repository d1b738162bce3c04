//===- GraphCheck.h - what holds of every imported graph --------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_GRAPHCHECK_H
#define PLC_TEST_FUZZ_GRAPHCHECK_H

#include "Fuzz.h"
#include "plc/Import/Graph.h"

#include <set>
#include <stdexcept>

/// Requires that each value is defined once, before it is read, and has a type.
inline void checkGraph(const plc::import::Graph &graph) {
  using namespace plc::import;
  std::set<std::string> defined;
  auto define = [&](const std::string &name) {
    require(defined.insert(name).second, "a value that is defined twice");
    require(graph.types.count(name) || graph.otherTypes.count(name), "a value without a type");
  };
  auto use = [&](const ValueName &value) {
    require(value.name.empty() || defined.count(value.name), "a value that is not defined before it is read");
  };
  for (const Input &input : graph.inputs)
    define(input.value);
  for (const Node &node : graph.nodes) {
    for (const auto &[name, argument] : node.arguments) {
      if (const auto *value = std::get_if<ValueName>(&argument))
        use(*value);
      if (const auto *values = std::get_if<std::vector<ValueName>>(&argument))
        for (const ValueName &value : *values)
          use(value);
    }
    for (const std::string &result : node.results)
      if (!result.empty())
        define(result);
    for (const auto &[name, body] : node.bodies)
      checkGraph(*body);
  }
  for (const Output &output : graph.outputs)
    use({output.value});
}

/// Requires that tensors of the file have as many bytes as their types ask for.
inline void checkWeights(const plc::import::ImportedModel &model) {
  for (const plc::import::Input &input : model.graph.inputs) {
    if (input.kind == plc::import::Input::Kind::User)
      continue;
    const plc::import::TensorType &type = model.graph.types.at(input.value);
    size_t bytes = byteWidth(type.type);
    for (int64_t size : type.shape)
      bytes *= static_cast<size_t>(size);
    model.weights->storageOf(input);
    if (bytes > (1 << 16)) // takes too long
      continue;
    try {
      require(model.weights->read(input).size() == bytes, "a tensor that its type does not have");
    } catch (const std::runtime_error &) { // without values, or a bool that is none
    }
  }
}

#endif

// Reads the signature of an exported program: which values are parameters, buffers, inputs and outputs.
#include "Read/Pt2Signature.h"

#include "Read/ReadError.h"

namespace plc::import {

namespace {

enum class InputSpec { User, Parameter, Buffer, Constant, Number, Token, Object };
struct InputSpecRow {
  const char *name;
  InputSpec kind;
};
constexpr InputSpecRow inputSpecs[] = {
    {"user_input", InputSpec::User},          {"parameter", InputSpec::Parameter},   {"buffer", InputSpec::Buffer},
    {"tensor_constant", InputSpec::Constant}, {"constant_input", InputSpec::Number}, {"token", InputSpec::Token},
    {"custom_obj", InputSpec::Object},
};

enum class OutputSpec { User, Loss, BufferMutation, Token, InputMutation, ParameterMutation, Gradient };
struct OutputSpecRow {
  const char *name;
  OutputSpec kind;
};
constexpr OutputSpecRow outputSpecs[] = {
    {"user_output", OutputSpec::User},
    {"loss_output", OutputSpec::Loss},
    {"buffer_mutation", OutputSpec::BufferMutation},
    {"token", OutputSpec::Token},
    {"user_input_mutation", OutputSpec::InputMutation},
    {"parameter_mutation", OutputSpec::ParameterMutation},
    {"gradient_to_parameter", OutputSpec::Gradient},
    {"gradient_to_user_input", OutputSpec::Gradient},
};

} // namespace

/// The row of the only member of a union.
template <typename Row, size_t size>
static const Row &rowOf(const JsonNode &spec, const Row (&rows)[size]) {
  auto members = spec.members();
  for (const Row &row : rows)
    if (members.size() == 1 && members.front().first == row.name)
      return row;
  spec.fail("is of no kind that schema 8 has");
}

/// The name of an argument that is a tensor; nullopt if it is a number or none.
static std::optional<std::string> tensorOf(const JsonNode &argument) {
  std::optional<JsonNode> tensor = argument.find("as_tensor");
  return tensor ? std::optional((*tensor)["name"].string()) : std::nullopt;
}

std::vector<Input> readPt2Inputs(const JsonNode &module) {
  std::vector<Input> inputs;
  auto add = [&](Input::Kind kind, const JsonNode &spec, const char *path) {
    inputs.push_back({kind, spec["arg"]["name"].string(), spec[path].string()});
  };
  for (const JsonNode &spec : module["signature"]["input_specs"].elements()) {
    const InputSpecRow &row = rowOf(spec, inputSpecs);
    JsonNode held = spec[row.name];
    switch (row.kind) {
    case InputSpec::User:
      if (std::optional<std::string> name = tensorOf(held["arg"]))
        inputs.push_back({Input::Kind::User, *name, *name});
      break;
    case InputSpec::Parameter: add(Input::Kind::Parameter, held, "parameter_name"); break;
    case InputSpec::Constant: add(Input::Kind::Constant, held, "tensor_constant_name"); break;
    case InputSpec::Buffer:
      add(Input::Kind::Buffer, held, "buffer_name");
      inputs.back().isPersistent = held["persistent"].boolean();
      break;
    case InputSpec::Object:
      throw ReadError("input '" + held["arg"]["name"].string() + "' is the object '" +
                      held["custom_obj_name"].string() + "', which is pickled; expected tensors, export a model " +
                      "without custom classes");
    case InputSpec::Number:
    case InputSpec::Token: break;
    }
  }
  return inputs;
}

/// Appends a path for each leaf of a pytree: the keys of mappings, and indices below them.
static void collectLeaves(const JsonNode &tree, const std::string &path, bool isInMapping,
                          std::vector<std::string> &paths) {
  if (tree["type"].isNull()) {
    paths.push_back(isInMapping ? path : "");
    return;
  }
  std::vector<JsonNode> children = tree["children_spec"].elements();
  std::vector<std::string> keys;
  if (tree["context"].isString())
    try {
      nlohmann::json context = parseJson(tree["context"].string());
      // Some classes keep more than their keys, which then stand first.
      if (context.is_array() && !context.empty() && context.front().is_array())
        context = nlohmann::json(context.front());
      if (context.is_array() && context.size() == children.size())
        for (const nlohmann::json &key : context)
          keys.push_back(key.is_string() ? key.get<std::string>() : key.dump());
    } catch (const JsonError &) { // a context of another form has no keys
    }
  bool hasKeys = keys.size() == children.size();
  for (size_t i = 0; i < children.size(); ++i) {
    std::string step = hasKeys ? keys[i] : std::to_string(i);
    collectLeaves(children[i], path.empty() ? step : path + "." + step, isInMapping || hasKeys, paths);
  }
}

/// The path of each output of the user; empty if the tree of outputs is of another form.
static std::vector<std::string> outputPaths(const JsonNode &module) {
  std::vector<std::string> paths;
  for (const JsonNode &entry : module["module_call_graph"].elements()) {
    std::optional<JsonNode> signature = entry.find("signature");
    if (!entry["fqn"].string().empty() || !signature)
      continue;
    try {
      nlohmann::json spec = parseJson((*signature)["out_spec"].string());
      std::vector<JsonNode> parts = JsonNode(spec).elements();
      if (parts.size() == 2)
        collectLeaves(parts[1], "", false, paths);
    } catch (const std::runtime_error &) {
      return {};
    }
  }
  return paths;
}

std::vector<Output> readPt2Outputs(const JsonNode &module) {
  std::vector<Output> outputs;
  std::vector<std::string> paths = outputPaths(module);
  size_t userOutputs = 0;
  for (const JsonNode &spec : module["signature"]["output_specs"].elements()) {
    const OutputSpecRow &row = rowOf(spec, outputSpecs);
    JsonNode held = spec[row.name];
    switch (row.kind) {
    case OutputSpec::User: {
      size_t index = userOutputs++;
      if (std::optional<std::string> name = tensorOf(held["arg"]))
        outputs.push_back({Output::Kind::User, *name, index < paths.size() ? paths[index] : ""});
      break;
    }
    case OutputSpec::Loss: outputs.push_back({Output::Kind::Loss, held["arg"]["name"].string(), ""}); break;
    case OutputSpec::BufferMutation:
      outputs.push_back({Output::Kind::BufferMutation, held["arg"]["name"].string(), held["buffer_name"].string()});
      break;
    case OutputSpec::InputMutation:
      throw ReadError("the model writes to its input '" + held["user_input_name"].string() +
                      "'; expected inputs that it only reads, copy the input in the model first");
    case OutputSpec::ParameterMutation:
      throw ReadError("the model writes to its parameter '" + held["parameter_name"].string() +
                      "'; expected parameters that it only reads, make it a buffer");
    case OutputSpec::Gradient:
      throw ReadError("the graph computes gradients (output '" + held["arg"]["name"].string() +
                      "'); expected the forward pass alone, as torch.export.export makes it");
    case OutputSpec::Token: break;
    }
  }
  return outputs;
}

std::vector<Input> readPt2BodyInputs(const JsonNode &graph) {
  std::vector<Input> inputs;
  for (const JsonNode &argument : graph["inputs"].elements())
    if (std::optional<std::string> name = tensorOf(argument))
      inputs.push_back({Input::Kind::User, *name, *name});
  return inputs;
}

std::vector<Output> readPt2BodyOutputs(const JsonNode &graph) {
  std::vector<Output> outputs;
  for (const JsonNode &argument : graph["outputs"].elements())
    if (std::optional<std::string> name = tensorOf(argument))
      outputs.push_back({Output::Kind::User, *name, ""});
  return outputs;
}

} // namespace plc::import

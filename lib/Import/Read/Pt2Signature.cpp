// Reads the signature of an exported program: which values are parameters, buffers, inputs and outputs.
#include "Read/Pt2Graph.h"

#include "Read/ReadError.h"

namespace plc::import {

/// The name of an argument that is a tensor; nullopt if it is a number or none.
static std::optional<std::string> tensorOf(const JsonNode &argument) {
  std::optional<JsonNode> tensor = argument.find("as_tensor");
  return tensor ? std::optional((*tensor)["name"].string()) : std::nullopt;
}

std::vector<Input> readPt2Inputs(const JsonNode &module) {
  std::vector<Input> inputs;
  for (const JsonNode &spec : module["signature"]["input_specs"].elements()) {
    auto add = [&](Input::Kind kind, const char *key, const char *path) {
      std::optional<JsonNode> held = spec.find(key);
      if (held)
        inputs.push_back({kind, (*held)["arg"]["name"].string(), (*held)[path].string()});
      return held;
    };
    if (std::optional<JsonNode> held = spec.find("user_input")) {
      if (std::optional<std::string> name = tensorOf((*held)["arg"]))
        inputs.push_back({Input::Kind::User, *name, *name});
    } else if (std::optional<JsonNode> held = spec.find("custom_obj")) {
      throw ReadError("input '" + (*held)["arg"]["name"].string() + "' is the object '" +
                      (*held)["custom_obj_name"].string() + "', which is pickled; expected tensors, export a model " +
                      "without custom classes");
    } else if (std::optional<JsonNode> held = add(Input::Kind::Buffer, "buffer", "buffer_name")) {
      inputs.back().isPersistent = (*held)["persistent"].boolean();
    } else if (!add(Input::Kind::Parameter, "parameter", "parameter_name") &&
               !add(Input::Kind::Constant, "tensor_constant", "tensor_constant_name") && !spec.has("constant_input") &&
               !spec.has("token")) {
      spec.fail("is of no kind that schema 8 has");
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
  size_t index = 0;
  for (const JsonNode &spec : module["signature"]["output_specs"].elements()) {
    if (std::optional<JsonNode> held = spec.find("user_output")) {
      if (std::optional<std::string> name = tensorOf((*held)["arg"]))
        outputs.push_back({Output::Kind::User, *name, index < paths.size() ? paths[index] : ""});
      ++index;
    } else if (std::optional<JsonNode> held = spec.find("loss_output")) {
      outputs.push_back({Output::Kind::Loss, (*held)["arg"]["name"].string(), ""});
    } else if (std::optional<JsonNode> held = spec.find("buffer_mutation")) {
      outputs.push_back(
          {Output::Kind::BufferMutation, (*held)["arg"]["name"].string(), (*held)["buffer_name"].string()});
    } else if (std::optional<JsonNode> held = spec.find("user_input_mutation")) {
      throw ReadError("the model writes to its input '" + (*held)["user_input_name"].string() +
                      "'; expected inputs that it only reads, copy the input in the model first");
    } else if (!spec.has("token")) {
      spec.fail("is a gradient or a new value of a parameter; expected the forward pass alone, as torch.export.export "
                "makes it");
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

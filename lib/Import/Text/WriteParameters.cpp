//===- WriteParameters.cpp - weights of an imported model as safetensors --===//
#include "plc/Import/ImportModel.h"

#include "plc/Support/ElementType.h"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace plc;
using namespace plc::import;

using nlohmann::ordered_json;

/// Text as JSON, which is TOML's as well. Names of a file may have any bytes.
static std::string jsonText(const ordered_json &value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

std::string plc::import::mapOf(const ImportedModel &model, const ImportedRules &rules) {
  std::string text = "[parameters]\n";
  for (const ImportedParameter &parameter : rules.parameters) {
    bool isSame = model.graph.types.at(parameter.input->value).shape == parameter.shape;
    std::string name = jsonText(parameter.input->path);
    text += jsonText(parameter.path) + " = " + (isSame ? name : "{ from = " + name + ", reshape = true }") + "\n";
  }
  return text;
}

/// A header of JSON behind its length in 8 bytes, then the tensors.
std::string plc::import::writeParameters(const ImportedModel &model, const ImportedRules &rules,
                                         const std::string &path) {
  // The metadata has the name of each tensor in `state_dict`.
  ordered_json tensors = ordered_json::object(), original = ordered_json::object();
  uint64_t offset = 0;
  for (const ImportedParameter &parameter : rules.parameters) {
    const TensorType &type = model.graph.types.at(parameter.input->value);
    uint64_t bytes = byteWidth(type.type);
    for (int64_t extent : parameter.shape)
      bytes *= uint64_t(extent);
    std::string name = visit(type.type, [](auto traits) { return std::string(traits.safetensors); });
    tensors[parameter.path] = {{"dtype", name}, {"shape", parameter.shape}, {"data_offsets", {offset, offset + bytes}}};
    original[parameter.path] = parameter.input->path;
    offset += bytes;
  }
  tensors["__metadata__"] = std::move(original);
  std::string header = jsonText(tensors);
  header.append((8 - header.size() % 8) % 8, ' ');
  std::ofstream file(path, std::ios::binary);
  uint64_t length = header.size();
  for (int i = 0; i < 8; ++i)
    file.put(char(length >> (8 * i)));
  file << header;
  for (const ImportedParameter &parameter : rules.parameters) {
    std::vector<std::byte> bytes = model.weights->read(*parameter.input);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
  file.close();
  return file ? "" : "cannot write '" + path + "'";
}

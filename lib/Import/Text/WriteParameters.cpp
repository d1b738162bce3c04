//===- WriteParameters.cpp - weights of an imported model as safetensors --===//
#include "plc/Import/ImportModel.h"

#include "plc/Support/ElementType.h"

#include <fstream>

using namespace plc;
using namespace plc::import;

/// A name of the file as a JSON string.
static std::string quoted(const std::string &name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return text + "\"";
}

std::string plc::import::mapOf(const ImportedModel &model, const ImportedRules &rules) {
  std::string text = "[parameters]\n";
  for (const ImportedParameter &parameter : rules.parameters) {
    bool isSame = model.graph.types.at(parameter.input->value).shape == parameter.shape;
    std::string name = quoted(parameter.input->path);
    text += quoted(parameter.path) + " = " + (isSame ? name : "{ from = " + name + ", reshape = true }") + "\n";
  }
  return text;
}

/// A header of JSON behind its length in 8 bytes, then the tensors. Paths are names of the language and need no
/// escapes.
std::string plc::import::writeParameters(const ImportedModel &model, const ImportedRules &rules,
                                         const std::string &path) {
  // The metadata has the name of each tensor in `state_dict`.
  std::string header, original;
  for (const ImportedParameter &parameter : rules.parameters)
    original += (original.empty() ? "" : ",") + quoted(parameter.path) + ":" + quoted(parameter.input->path);
  header = "{\"__metadata__\":{" + original + "}";
  uint64_t offset = 0;
  for (const ImportedParameter &parameter : rules.parameters) {
    const TensorType &type = model.graph.types.at(parameter.input->value);
    uint64_t bytes = byteWidth(type.type);
    std::string shape;
    for (int64_t extent : parameter.shape) {
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
      bytes *= uint64_t(extent);
    }
    std::string name = visit(type.type, [](auto traits) { return std::string(traits.safetensors); });
    header += ",\"" + parameter.path + "\":{\"dtype\":\"" + name + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
              std::to_string(offset) + "," + std::to_string(offset + bytes) + "]}";
    offset += bytes;
  }
  header += "}";
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

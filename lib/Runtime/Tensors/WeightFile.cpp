// Reads Hugging Face's index of shards.
#include "WeightFile.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Support/Json.h"

#include <filesystem>

namespace plc::runtime {

using nlohmann::json;

namespace {

/// The tensors of each file, by its name.
std::map<std::string, std::vector<std::string>> readIndex(const std::string &file) {
  json index;
  try {
    index = parseJson(readFile(file));
  } catch (const JsonError &error) {
    throw fileError(file, std::string(error.what()) + " (offset " + std::to_string(error.offset) + ")");
  }
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
    throw fileError(file, "has no object 'weight_map', which tells the file of each tensor");
  std::map<std::string, std::vector<std::string>> shards;
  for (auto &[name, shard] : index["weight_map"].items()) {
    // Only files beside the index: it may come from an untrusted source, and must not name others.
    if (!shard.is_string() || shard.get<std::string>().find('/') != std::string::npos)
      throw fileError(file, "tensor '" + name + "' is in " + shard.dump() + ", expected the name of a file beside it");
    shards[shard.get<std::string>()].push_back(name);
  }
  return shards;
}

} // namespace

WeightFile::WeightFile(const std::string &file) {
  if (!file.ends_with(".json")) {
    infos = shards.emplace_back(file).tensors;
    metadata = shards[0].metadata;
    for (const auto &[name, info] : infos)
      shardOf[name] = 0;
    return;
  }
  for (const auto &[shard, names] : readIndex(file)) {
    std::string path = std::filesystem::path(file).parent_path() / shard;
    SafetensorsFile &part = shards.emplace_back(path);
    for (const std::string &name : names) {
      auto found = part.tensors.find(name);
      if (found == part.tensors.end())
        throw fileError(path, "tensor '" + name + "', which '" + file + "' says to be here, is missing");
      infos.insert(*found);
      shardOf[name] = shards.size() - 1;
    }
  }
}

} // namespace plc::runtime

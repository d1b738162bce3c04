// The weights of a model: one .safetensors file, or the shards that an index names.
#ifndef PLC_LIB_RUNTIME_TENSORS_WEIGHTFILE_H
#define PLC_LIB_RUNTIME_TENSORS_WEIGHTFILE_H

#include "plc/Runtime/Tensors/Safetensors.h"

namespace plc::runtime {

class WeightFile {
public:
  /// FILE.safetensors, or FILE.json: an index, whose `weight_map` says for each tensor which file beside it has it. Throws
  /// fileError.
  explicit WeightFile(const std::string &file);

  const std::map<std::string, StoredTensor> &tensors() const { return infos; }
  /// Of one file; empty for an index.
  std::map<std::string, std::string> metadata;
  /// One of `tensors`.
  Tensor read(const std::string &name) const { return shards[shardOf.at(name)].read(name); }

private:
  std::vector<SafetensorsFile> shards;
  std::map<std::string, size_t> shardOf;
  std::map<std::string, StoredTensor> infos;
};

} // namespace plc::runtime

#endif

// The weights of a model: one .safetensors file, or the shards of an index.
#ifndef PLC_LIB_RUNTIME_TENSORS_WEIGHTFILE_H
#define PLC_LIB_RUNTIME_TENSORS_WEIGHTFILE_H

#include "plc/Runtime/Tensors/Safetensors.h"

namespace plc::runtime {

/// The tensors of one or several .safetensors files, as if they were in one.
class WeightFile {
public:
  /// FILE.safetensors, or FILE.json: an index whose `weight_map` names the file beside it that has each tensor. Throws
  /// fileError.
  explicit WeightFile(const std::string &file);

  const std::map<std::string, StoredTensor> &tensors() const { return infos; }
  /// Of a single file; empty for an index.
  std::map<std::string, std::string> metadata;
  /// One of tensors().
  Tensor read(const std::string &name) const { return shards[shardOf.at(name)].read(name); }

private:
  std::vector<SafetensorsFile> shards;
  std::map<std::string, size_t> shardOf;
  std::map<std::string, StoredTensor> infos;
};

} // namespace plc::runtime

#endif

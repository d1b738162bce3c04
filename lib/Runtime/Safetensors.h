// .safetensors files, strictly: named dense tensors behind a JSON header, and a table of strings.
#ifndef PLC_RUNTIME_SAFETENSORS_H
#define PLC_RUNTIME_SAFETENSORS_H

#include "plc/Runtime/Tensor.h"

#include <map>

namespace plc::runtime {

struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  /// Reads and checks a file: bounds, sizes, no gap or overlap, and the hash if our own writer left one.
  static Safetensors read(const std::string &file);

  /// Writes atomically, with a hash of the data in the metadata.
  void write(const std::string &file) const;

  /// The tensor under `name` with exactly this type and shape; throws fileError naming both otherwise.
  const Tensor &get(const std::string &file, const TensorInfo &wanted) const;
};

} // namespace plc::runtime

#endif

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

  /// Takes the tensor of this name out, converted to the type; throws fileError if there is none or another.
  Tensor take(const std::string &file, const TensorInfo &wanted);
};

} // namespace plc::runtime

#endif

// One tensor of a file: FILE.npy, or FILE.safetensors:KEY.
#ifndef PLC_RUNTIME_TENSORS_TENSORFILE_H
#define PLC_RUNTIME_TENSORS_TENSORFILE_H

#include "plc/Runtime/Base/Tensor.h"

#include <optional>

namespace plc::runtime {

struct TensorPlace {
  std::string file, key; // no key: the file is a .npy

  /// `FILE`, `FILE.safetensors:KEY` or `-`.
  static TensorPlace parse(const std::string &text);
  bool isSafetensors() const { return file.ends_with(".safetensors"); }
  /// Throws usageError if a .safetensors file has no key.
  void check() const;
  std::string text() const { return key.empty() ? file : file + ":" + key; }
};

/// Where `FILE.bin` ends in FILE.bin or FILE.bin:TYPE.
std::optional<size_t> endOfNumbers(std::string_view text);
/// Where the name of a file ends, behind which a key or a type may stand.
size_t endOfName(const std::string &file);

/// Reads it; `-` is stdin. Throws usageError or fileError.
Tensor readTensor(const TensorPlace &place);

/// Writes it whole; a .safetensors file then holds it alone. `-` is stdout. Throws fileError.
void writeTensor(const TensorPlace &place, const Tensor &tensor);

} // namespace plc::runtime

#endif

// One tensor of a file: FILE.npy, or FILE.safetensors:KEY.
#ifndef PLC_RUNTIME_TENSORS_TENSORFILE_H
#define PLC_RUNTIME_TENSORS_TENSORFILE_H

#include "plc/Runtime/Base/Tensor.h"

#include <optional>

namespace plc::runtime {

/// The name of a tensor in a file, as the user writes it.
struct TensorLocation {
  std::string file, key; // no key: the file is a .npy

  /// `FILE`, `FILE.safetensors:KEY` or `-`.
  static TensorLocation parse(const std::string &text);
  bool isSafetensors() const { return file.ends_with(".safetensors"); }
  /// Throws usageError if a .safetensors file has no key.
  void check() const;
  std::string text() const { return key.empty() ? file : file + ":" + key; }
};

/// The end of `FILE.bin` in FILE.bin or FILE.bin:TYPE; nullopt for other files.
std::optional<size_t> endOfNumbers(std::string_view text);
/// The end of `FILE.jsonl` in FILE.jsonl or FILE.jsonl:KEY; nullopt for other files.
std::optional<size_t> endOfLines(std::string_view text);
/// `FILE.offsets.npy`, where rows begin, beside FILE.npy or FILE.bin:TYPE.
std::string offsetsOf(const std::string &file);
bool isOffsets(std::string_view file);
/// The end of the name of a file, before a key or a type.
size_t endOfName(const std::string &file);

/// Reads it; `-` is stdin. Throws usageError or fileError.
Tensor readTensor(const TensorLocation &location);

/// Writes it; a .safetensors file then has this tensor alone. `-` is stdout. Throws fileError.
void writeTensor(const TensorLocation &location, const Tensor &tensor);

} // namespace plc::runtime

#endif

// The elements of a tensor in a file, read in parts, so that a file may be larger than memory.
#ifndef PLC_RUNTIME_TENSORS_STOREDELEMENTS_H
#define PLC_RUNTIME_TENSORS_STOREDELEMENTS_H

#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/StoredType.h"

#include <optional>

namespace plc::runtime {

class StoredElements {
public:
  /// A file that has `info.numElements()` elements of the type from byte `begin` on, the last axis the fastest.
  StoredElements(std::string file, PartsOfFile bytes, const StoredType &type, size_t begin, TensorInfo info);
  /// A tensor of which the file's order or type asks to be read at once.
  StoredElements(std::string file, Tensor tensor)
      : file(std::move(file)), found(tensor.info), whole(std::move(tensor)) {}

  /// Opens a .npy file, FILE.safetensors:KEY, or FILE.bin:TYPE, which is numbers alone. Throws usageError or fileError.
  static StoredElements open(const std::string &text);
  /// Each byte of a file as an element.
  static StoredElements openBytes(const std::string &file);

  const std::string &name() const { return file; }
  /// Shape, and type as they are read.
  const TensorInfo &info() const { return found; }

  /// From now on they are read as another type, as convertTensor does it, if it can. What does not fit is reported now, in
  /// one pass over the file; where reals are rounded, all are from now on in memory.
  void convertTo(ElementType to, const std::string &what);

  void read(int64_t first, int64_t count, std::byte *elements) const;

private:
  Tensor readStored(int64_t first, int64_t count) const;

  std::string file;
  std::optional<PartsOfFile> bytes;
  const StoredType *stored = nullptr;
  size_t begin = 0;
  TensorInfo found;
  std::string what;            // of convertTensor
  std::optional<Tensor> whole; // in place of `bytes`
};

} // namespace plc::runtime

#endif

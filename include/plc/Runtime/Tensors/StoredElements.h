// The elements of a tensor in a file, read in slices.
#ifndef PLC_RUNTIME_TENSORS_STOREDELEMENTS_H
#define PLC_RUNTIME_TENSORS_STOREDELEMENTS_H

#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/StoredType.h"

#include <optional>

namespace plc::runtime {

/// The elements of a tensor in a file, read slice by slice, so that a file may be larger than memory.
class StoredElements {
public:
  /// `info.numElements()` elements of the type from byte `begin` of the file on, row-major.
  StoredElements(std::string file, PartsOfFile bytes, const StoredType &type, size_t begin, TensorInfo info);
  /// A tensor in memory, where the order or type in the file does not allow slices.
  StoredElements(std::string file, Tensor tensor)
      : file(std::move(file)), found(tensor.info), whole(std::move(tensor)) {}

  /// Opens FILE.npy, FILE.safetensors:KEY, or FILE.bin:TYPE, which has numbers alone. Throws usageError or fileError.
  static StoredElements open(const std::string &text);
  /// Each byte of a file as an element, from 0 to 255.
  static StoredElements openBytes(const std::string &file);

  const std::string &name() const { return file; }
  /// Shape, and type as read() gives it.
  const TensorInfo &info() const { return found; }

  /// From now on elements are read as another type, by convertTensor, if it can. Elements that do not fit are reported
  /// now, in one pass over the file. If reals are rounded, all are in memory from now on, so that the warning appears
  /// once.
  void convertTo(ElementType to, const std::string &what);

  /// Writes `count` elements from `first` on to `elements`.
  void read(int64_t first, int64_t count, std::byte *elements) const;

private:
  Tensor readStored(int64_t first, int64_t count) const;

  std::string file;
  std::optional<PartsOfFile> bytes;
  const StoredType *stored = nullptr;
  size_t begin = 0;
  TensorInfo found;
  std::string what;            // the receiver, for messages of convertTensor
  std::optional<Tensor> whole; // in memory, instead of `bytes`
};

} // namespace plc::runtime

#endif

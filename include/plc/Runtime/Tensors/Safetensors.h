// .safetensors files, strictly: named dense tensors behind a JSON header.
#ifndef PLC_RUNTIME_TENSORS_SAFETENSORS_H
#define PLC_RUNTIME_TENSORS_SAFETENSORS_H

#include "plc/Runtime/Tensors/StoredElements.h"

#include <functional>
#include <map>

namespace plc::runtime {

/// A tensor of a file. One of an unknown element type is only listed.
struct StoredTensor : TensorInfo {
  std::string unreadable{}; // the unknown type, as the file names it; empty: `type` is valid

  bool isReadable() const { return unreadable.empty(); }
  /// `f32[8, 128]`, `F8_E4M3[8, 128]`.
  std::string typeText() const;
  /// The error for a tensor that is only listed: "tensor 'w' has element type ..".
  std::string unreadableText() const;
};

/// A file to read. Its header is checked at once; each tensor is read on demand.
class SafetensorsFile {
public:
  /// Checks bounds and sizes, that there is no gap or overlap, and the hashes if our writer left some. Throws
  /// fileError.
  explicit SafetensorsFile(const std::string &file);

  std::map<std::string, std::string> metadata;
  std::map<std::string, StoredTensor> tensors;

  /// One of `tensors`. Throws fileError if it is only listed.
  Tensor read(const std::string &name) const;
  /// The tensor of this name, converted to the type. Throws fileError if it is missing or has another shape.
  Tensor readAs(const TensorInfo &wanted) const;

private:
  friend class SafetensorsHeader;
  friend StoredElements openSafetensors(const std::string &file, const std::string &name);
  /// Where a tensor lies in the file, in bytes.
  struct Location {
    const StoredType *type; // null: only listed
    size_t begin, size;     // in the file
  };

  std::string file;
  PartsOfFile bytes;
  std::map<std::string, Location> locations;
};

/// One tensor, whose elements are read on demand. Throws fileError.
StoredElements openSafetensors(const std::string &file, const std::string &name);

/// A file to write.
struct Safetensors {
  struct Source {
    TensorInfo info;
    std::function<void(std::byte *out)> read; // called twice, and must return the same bytes
  };
  std::map<std::string, Source> tensors;
  std::map<std::string, std::string> metadata;

  void add(TensorInfo info, std::function<void(std::byte *out)> read);
  /// References data that must stay until write().
  void add(const std::string &name, TensorInfo info, const Bytes &data);
  /// Writes atomically, with hashes in the metadata. One tensor at a time is in memory.
  void write(const std::string &file) const;
};

} // namespace plc::runtime

#endif

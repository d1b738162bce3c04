// .safetensors files, strictly: named dense tensors behind a JSON header, and a table of strings.
#ifndef PLC_RUNTIME_TENSORS_SAFETENSORS_H
#define PLC_RUNTIME_TENSORS_SAFETENSORS_H

#include "plc/Runtime/Tensors/StoredElements.h"

#include <functional>
#include <map>

namespace plc::runtime {

/// What a file has: a tensor as it is read, or one of an element type that is only listed.
struct StoredTensor : TensorInfo {
  std::string unreadable{}; // that type as the file names it, which `type` then is not; empty: it is read

  bool isReadable() const { return unreadable.empty(); }
  /// `f32[8, 128]`, `F8_E4M3[8, 128]`.
  std::string typeText() const;
  /// "tensor 'w' has element type ..", of one that is only listed.
  std::string unreadableText() const;
};

/// A file to read: its header is read and checked at once, each tensor when it is asked for.
class SafetensorsFile {
public:
  /// Checks bounds, sizes, that there is no gap or overlap, and the hash if our own writer left one. Throws fileError.
  explicit SafetensorsFile(const std::string &file);

  std::map<std::string, std::string> metadata;
  std::map<std::string, StoredTensor> tensors;

  /// One of `tensors`. Throws fileError if its type is not read.
  Tensor read(const std::string &name) const;
  /// The tensor of this name, converted to the type; throws fileError if there is none or another.
  Tensor readAs(const TensorInfo &wanted) const;

private:
  friend class SafetensorsHeader;
  friend StoredElements openSafetensors(const std::string &file, const std::string &name);
  struct Place {
    const StoredType *type; // null: not read
    size_t begin, size;     // in the file
  };

  std::string file;
  PartsOfFile bytes;
  std::map<std::string, Place> places;
};

/// One tensor, whose elements are read when they are asked for. Throws fileError.
StoredElements openSafetensors(const std::string &file, const std::string &name);

/// What a file is to hold.
struct Safetensors {
  struct Source {
    TensorInfo info;
    std::function<void(std::byte *out)> read; // called twice
  };
  std::map<std::string, Source> tensors;
  std::map<std::string, std::string> metadata;

  void add(TensorInfo info, std::function<void(std::byte *out)> read);
  /// Data that stays until it is written.
  void add(const std::string &name, TensorInfo info, const Bytes &data);
  /// Writes atomically, with hashes of the data in the metadata. Has one tensor at a time in memory.
  void write(const std::string &file) const;
};

} // namespace plc::runtime

#endif

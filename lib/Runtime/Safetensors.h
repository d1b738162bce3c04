// .safetensors files, strictly: named dense tensors behind a JSON header, and a table of strings.
#ifndef PLC_RUNTIME_SAFETENSORS_H
#define PLC_RUNTIME_SAFETENSORS_H

#include "StoredElements.h"

#include <map>

namespace plc::runtime {

/// A file to read: its header is read and checked at once, each tensor when it is asked for.
class SafetensorsFile {
public:
  /// Checks bounds, sizes, that there is no gap or overlap, and the hash if our own writer left one. Throws fileError.
  explicit SafetensorsFile(const std::string &file);

  std::map<std::string, std::string> metadata;
  /// As they are read.
  std::map<std::string, TensorInfo> tensors;

  /// One of `tensors`.
  Tensor read(const std::string &name) const;
  /// The tensor of this name, converted to the type; throws fileError if there is none or another.
  Tensor readAs(const TensorInfo &wanted) const;

private:
  friend class SafetensorsHeader;
  friend StoredElements openSafetensors(const std::string &file, const std::string &name);
  struct Place {
    const StoredType *type;
    size_t begin, size; // in the file
  };

  std::string file;
  PartsOfFile bytes;
  std::map<std::string, Place> places;
};

/// One tensor, whose elements are read when they are asked for. Throws fileError.
StoredElements openSafetensors(const std::string &file, const std::string &name);

/// What a file is to hold.
struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  /// Writes atomically, with a hash of the data in the metadata.
  void write(const std::string &file) const;
};

} // namespace plc::runtime

#endif

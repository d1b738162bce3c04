// Element types of files: those of programs, and those of StoredTypes.def.
#ifndef PLC_RUNTIME_TENSORS_STOREDTYPE_H
#define PLC_RUNTIME_TENSORS_STOREDTYPE_H

#include "plc/Runtime/Base/Tensor.h"

#include <span>

namespace plc::runtime {

/// An element type as a file stores it, and the type that a program reads it as.
struct StoredType {
  std::string_view npy, safetensors; // its name in a file; empty: the format has no such type
  size_t width;                      // bytes of an element in the file
  ElementType readAs;
  void (*widen)(const std::byte *from, size_t count, std::byte *to);

  /// Converts the elements in `bytes` of a file to `readAs`; exact.
  Bytes read(std::string_view bytes) const;
};

/// All of them; first those of programs, which are read as they are.
std::span<const StoredType> storedTypes();

/// The type of a byte from 0 to 255.
const StoredType &storedByte();

} // namespace plc::runtime

#endif

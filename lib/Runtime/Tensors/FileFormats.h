// Formats of files that plc does not read, so that an error can name them.
#ifndef PLC_LIB_RUNTIME_TENSORS_FILEFORMATS_H
#define PLC_LIB_RUNTIME_TENSORS_FILEFORMATS_H

#include "plc/Runtime/Base/Error.h"

#include <optional>
#include <string_view>

namespace plc::runtime {

/// A format, for messages.
struct FileFormat {
  std::string name; // "a zip archive of PyTorch (.pt, .pth, .bin)"
  std::string
      remedy; // lines that say how its tensors come into a .safetensors file; FILE and NEW stand for the two names
  bool isText = false; // text, which a model of bytes may be trained on
};

/// Bytes at the beginning of a file that identify its format: enough for tar, whose magic number is at 257.
inline constexpr size_t formatBytes = 512;

/// The format of a file that begins so; nullopt if it is unknown.
std::optional<FileFormat> formatOf(std::string_view begin);
/// The same of a file; nullopt also if it cannot be read or is not regular.
std::optional<FileFormat> formatOfFile(const std::string &file);

/// The error "not a .safetensors file, but a zip archive ..", with the remedy as notes. For an unknown format it shows
/// the first bytes.
Error notOfFormat(const std::string &file, const std::string &expected, std::string_view begin);

/// Adds notes on how to convert a file of the format.
void addRemedy(const std::string &file, const FileFormat &format, Error &error);

} // namespace plc::runtime

#endif

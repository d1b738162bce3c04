// Formats of files that are not read, by their first bytes, so that an error can name what was given.
#ifndef PLC_LIB_RUNTIME_TENSORS_FILEFORMATS_H
#define PLC_LIB_RUNTIME_TENSORS_FILEFORMATS_H

#include "plc/Runtime/Base/Error.h"

#include <optional>
#include <string_view>

namespace plc::runtime {

struct FileFormat {
  std::string name; // "a zip archive of PyTorch (.pt, .pth, .bin)"
  std::string
      remedy; // lines that say how its tensors come into a .safetensors file; FILE and NEW stand for the two names
  bool isText = false; // text, which a model of bytes may be trained on
};

/// How many bytes of a file tell its format.
inline constexpr size_t formatBytes = 512;

/// Of the bytes that a file begins with; nothing if the table has no such format.
std::optional<FileFormat> formatOf(std::string_view begin);
/// Nothing, too, if the file cannot be read, or is no regular one.
std::optional<FileFormat> formatOfFile(const std::string &file);

/// "not a .safetensors file, but a zip archive ..", with the remedy as notes; of an unknown format the first bytes.
Error notOfFormat(const std::string &file, const std::string &expected, std::string_view begin);

/// Adds what to do with a file of the format.
void addRemedy(const std::string &file, const FileFormat &format, Error &error);

} // namespace plc::runtime

#endif

// Parses names of tensors in files, and reads and writes one.
#include "plc/Runtime/Tensors/TensorFile.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/Safetensors.h"

#include <filesystem>

namespace plc::runtime {

TensorLocation TensorLocation::parse(const std::string &text) {
  constexpr std::string_view suffix = ".safetensors";
  size_t found = text.find(std::string(suffix) + ":");
  if (found == std::string::npos)
    return {text, ""};
  return {text.substr(0, found + suffix.size()), text.substr(found + suffix.size() + 1)};
}

void TensorLocation::check() const {
  if (isSafetensors() && key.empty())
    throw usageError("found '" + file + "', expected " + file + ":KEY");
}

/// The end of a name with this suffix, alone or before a `:`.
static std::optional<size_t> endOfSuffix(std::string_view text, std::string_view suffix) {
  size_t end = text.find(std::string(suffix) + ":");
  if (end != text.npos)
    return end + suffix.size();
  return text.ends_with(suffix) ? std::optional(text.size()) : std::nullopt;
}

std::optional<size_t> endOfNumbers(std::string_view text) { return endOfSuffix(text, ".bin"); }

std::optional<size_t> endOfLines(std::string_view text) { return endOfSuffix(text, ".jsonl"); }

static constexpr std::string_view offsetsSuffix = ".offsets.npy";

std::string offsetsOf(const std::string &file) {
  std::filesystem::path name = file.substr(0, endOfName(file));
  return name.replace_extension().string() + std::string(offsetsSuffix);
}

bool isOffsets(std::string_view file) { return file.ends_with(offsetsSuffix); }

size_t endOfName(const std::string &file) {
  for (auto end : {endOfNumbers(file), endOfLines(file)})
    if (end)
      return *end;
  return TensorLocation::parse(file).file.size();
}

Tensor readTensor(const TensorLocation &location) {
  location.check();
  if (!location.isSafetensors())
    return parseNpy(location.file == "-" ? "<stdin>" : location.file, readFile(location.file));
  SafetensorsFile contents(location.file);
  if (!contents.tensors.count(location.key))
    throw fileError(location.file, "tensor '" + location.key + "' is missing");
  return contents.read(location.key);
}

void writeTensor(const TensorLocation &location, const Tensor &tensor) {
  if (!location.isSafetensors())
    return writeFile(location.file, formatNpy(tensor));
  Safetensors contents;
  contents.add(location.key, tensor.info, tensor.data);
  contents.write(location.file);
}

} // namespace plc::runtime

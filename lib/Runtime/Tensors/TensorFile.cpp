// Parses names of tensors in files, and reads and writes one.
#include "plc/Runtime/Tensors/TensorFile.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/Safetensors.h"

namespace plc::runtime {

TensorPlace TensorPlace::parse(const std::string &text) {
  constexpr std::string_view suffix = ".safetensors";
  size_t found = text.find(std::string(suffix) + ":");
  if (found == std::string::npos)
    return {text, ""};
  return {text.substr(0, found + suffix.size()), text.substr(found + suffix.size() + 1)};
}

void TensorPlace::check() const {
  if (isSafetensors() && key.empty())
    throw usageError("found '" + file + "', expected " + file + ":KEY");
}

std::optional<size_t> endOfNumbers(std::string_view text) {
  constexpr std::string_view suffix = ".bin";
  size_t end = text.find(std::string(suffix) + ":");
  if (end != text.npos)
    return end + suffix.size();
  return text.ends_with(suffix) ? std::optional(text.size()) : std::nullopt;
}

size_t endOfName(const std::string &file) { return endOfNumbers(file).value_or(TensorPlace::parse(file).file.size()); }

Tensor readTensor(const TensorPlace &place) {
  place.check();
  if (!place.isSafetensors())
    return parseNpy(place.file == "-" ? "<stdin>" : place.file, readFile(place.file));
  SafetensorsFile contents(place.file);
  if (!contents.tensors.count(place.key))
    throw fileError(place.file, "tensor '" + place.key + "' is missing");
  return contents.read(place.key);
}

void writeTensor(const TensorPlace &place, const Tensor &tensor) {
  if (!place.isSafetensors())
    return writeFile(place.file, formatNpy(tensor));
  Safetensors contents;
  contents.add(place.key, tensor.info, tensor.data);
  contents.write(place.file);
}

} // namespace plc::runtime

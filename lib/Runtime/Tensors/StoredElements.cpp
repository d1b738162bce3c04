// Reads slices of tensors in files, and converts them.
#include "plc/Runtime/Tensors/StoredElements.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/Safetensors.h"
#include "plc/Runtime/Tensors/TensorFile.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace plc::runtime {

namespace {

constexpr int64_t chunkLength = 1 << 20; // elements in memory at a time, while a file is checked

/// The name of a type after `:`: the one of .safetensors in small letters, `u16`.
std::string typeName(const StoredType &type) {
  std::string name(type.safetensors);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// A file of numbers alone, whose type the user gives.
StoredElements openNumbers(const std::string &text, size_t end) {
  std::string file = text.substr(0, end), name = text.size() > end ? text.substr(end + 1) : "", known;
  const StoredType *type = nullptr;
  for (const StoredType &each : storedTypes()) {
    if (kindOf(each.readAs) == ElementKind::Truth)
      continue;
    known += (known.empty() ? "" : ", ") + typeName(each);
    if (typeName(each) == name)
      type = &each;
  }
  if (!type)
    throw usageError("found '" + text + "', expected " + file +
                     ":TYPE, since the file does not say what its numbers are; TYPE is one of " + known);
  PartsOfFile bytes(file);
  if (bytes.size() % type->width)
    throw fileError(file, "found " + std::to_string(bytes.size()) + " bytes, expected a multiple of " +
                              std::to_string(type->width) + " for numbers of type " + name);
  TensorInfo info;
  info.type = type->readAs;
  info.shape = {static_cast<int64_t>(bytes.size() / type->width)};
  return {file, std::move(bytes), *type, 0, std::move(info)};
}

} // namespace

StoredElements::StoredElements(std::string file, PartsOfFile bytes, const StoredType &type, size_t begin,
                               TensorInfo info)
    : file(std::move(file)), bytes(std::move(bytes)), stored(&type), begin(begin), found(std::move(info)) {}

StoredElements StoredElements::open(const std::string &text) {
  if (std::optional<size_t> end = endOfNumbers(text))
    return openNumbers(text, *end);
  TensorLocation location = TensorLocation::parse(text);
  location.check();
  StoredElements elements =
      location.isSafetensors() ? openSafetensors(location.file, location.key) : openNpy(location.file);
  elements.file = text;
  return elements;
}

StoredElements StoredElements::openBytes(const std::string &file) {
  PartsOfFile bytes(file);
  TensorInfo info;
  info.type = storedByte().readAs;
  info.shape = {static_cast<int64_t>(bytes.size())};
  return {file, std::move(bytes), storedByte(), 0, std::move(info)};
}

Tensor StoredElements::readStored(int64_t first, int64_t count) const {
  std::string part(static_cast<size_t>(count) * stored->width, '\0');
  size_t offset = begin + static_cast<size_t>(first) * stored->width;
  bytes->read(offset, part.size(), part.data());
  Tensor tensor{found, stored->read(part)};
  tensor.info.type = stored->readAs;
  if (int64_t bad = firstBadBool(tensor); bad >= 0)
    throw fileError(file,
                    "a bool is neither 0 nor 1 (offset " + std::to_string(offset + static_cast<size_t>(bad)) + ")");
  return tensor;
}

void StoredElements::convertTo(ElementType to, const std::string &whose) {
  if (!isConvertible(found.type, to))
    return;
  what = whose;
  // A wider type of the same kind holds every value.
  bool isExact = found.type == to || byteWidth(found.type) < byteWidth(to);
  // Rounding warns once, for the whole tensor. So it is converted once, in memory.
  if (!whole && !isExact && kindOf(to) == ElementKind::Real)
    whole = readStored(0, found.numElements());
  if (whole)
    convertTensor(file, what, to, *whole);
  else if (!isExact || kindOf(found.type) == ElementKind::Truth)
    for (int64_t first = 0, count; first < found.numElements(); first += count) {
      count = std::min(chunkLength, found.numElements() - first);
      Tensor part = readStored(first, count);
      convertTensor(file, what, to, part, first);
    }
  found.type = to;
}

void StoredElements::read(int64_t first, int64_t count, std::byte *elements) const {
  size_t width = byteWidth(found.type);
  if (whole) {
    std::memcpy(elements, whole->data.data() + static_cast<size_t>(first) * width, static_cast<size_t>(count) * width);
    return;
  }
  Tensor part = readStored(first, count);
  convertTensor(file, what, found.type, part, first);
  std::memcpy(elements, part.data.data(), static_cast<size_t>(count) * width);
}

} // namespace plc::runtime

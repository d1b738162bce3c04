// Reads parameters, buffers and constants of a .pt2 archive from the raw bytes of their storages.
#include "Read/Pt2Weights.h"

#include "plc/Import/PrintGraph.h"
#include "Read/ReadError.h"

#include <cstring>

namespace plc::import {

static std::string describe(const Input &input) {
  static constexpr const char *kinds[] = {"input", "parameter", "buffer", "constant"};
  return std::string(kinds[static_cast<size_t>(input.kind)]) + " '" + input.path + "'";
}

void Pt2Weights::add(const JsonNode &config, const Graph &graph, const StoredZip &zip, const std::string &folder) {
  JsonNode payloads = config["config"];
  for (const Input &input : graph.inputs) {
    std::optional<JsonNode> payload = payloads.find(input.path);
    if (input.kind == Input::Kind::User || !payload)
      continue;
    const TensorType &type = graph.types.at(input.value);
    if (auto added = byPath.find(input.path); added != byPath.end()) {
      check(input, type, added->second);
      continue;
    }
    Stored stored{folder + (*payload)["path_name"].string(), {}, {}};
    if ((*payload)["use_pickle"].boolean())
      throw ReadError(describe(input) + " is pickled in member '" + stored.member +
                      "', because it is a subclass of a tensor; expected raw bytes, make it a plain tensor before the "
                      "export");
    std::optional<std::string_view> storage = zip.find(stored.member);
    if (!storage)
      throw ReadError(describe(input) + " has its bytes in member '" + stored.member +
                      "', which is not there; the archive is damaged, save it again");
    stored.storage = *storage;
    stored.view = readPt2Tensor((*payload)["tensor_meta"], describe(input));
    check(input, type, stored);
    byPath.emplace(input.path, std::move(stored));
  }
}

void Pt2Weights::check(const Input &input, const TensorType &type, const Stored &stored) const {
  const Pt2Tensor &view = stored.view;
  if (!view.type)
    throw ReadError(describe(input) + " has " + refusedType(view.typeName));
  if (TensorType found{*view.type, view.sizes}; found != type)
    throw ReadError(describe(input) + " is " + textOf(found) + " in the archive, but " + textOf(type) +
                    " in its graph; the archive is damaged, save it again");
  int64_t width = static_cast<int64_t>(byteWidth(*view.type)), count = view.numElements(), last = view.offset;
  if (stored.storage.empty() || count == 0)
    return;
  auto stored64 = static_cast<int64_t>(stored.storage.size());
  bool fits = true;
  for (size_t axis = 0; axis < view.sizes.size() && fits; ++axis) {
    int64_t reach;
    fits = !__builtin_mul_overflow(view.sizes[axis] - 1, view.strides[axis], &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  if (!fits || last >= stored64 / width)
    throw ReadError(describe(input) + " reaches behind the " + std::to_string(stored64) + " bytes of member '" +
                    stored.member + "'; the archive is damaged, save it again");
  constexpr int64_t mostRepeated = int64_t(1) << 30; // bytes that strides of 0 may make of fewer
  if (count * width > std::max(stored64, mostRepeated))
    throw ReadError(describe(input) + " repeats the " + std::to_string(stored64) + " bytes of member '" +
                    stored.member + "' to " + std::to_string(count * width) + ", expected " +
                    std::to_string(mostRepeated) + " at most; expand it within the model");
}

void Pt2Weights::requireAll(const Graph &graph) const {
  for (const Input &input : graph.inputs)
    if (input.kind != Input::Kind::User && !byPath.count(input.path))
      throw ReadError(describe(input) + " is not among the tensors of the archive; it is damaged, save it again");
}

/// Copies the elements of a view, from axis `axis` on, in row-major order.
static std::byte *copyDense(const Pt2Tensor &view, size_t axis, const char *from, size_t width, std::byte *to) {
  if (axis == view.sizes.size()) {
    std::memcpy(to, from, width);
    return to + width;
  }
  bool isDense = axis + 1 == view.sizes.size() && view.strides[axis] == 1;
  if (isDense) {
    size_t bytes = static_cast<size_t>(view.sizes[axis]) * width;
    std::memcpy(to, from, bytes);
    return to + bytes;
  }
  for (int64_t i = 0; i < view.sizes[axis]; ++i)
    to = copyDense(view, axis + 1, from + static_cast<size_t>(i * view.strides[axis]) * width, width, to);
  return to;
}

std::vector<std::byte> Pt2Weights::read(const Input &input) const {
  const auto &[member, storage, view] = byPath.at(input.path);
  auto count = static_cast<size_t>(view.numElements()), width = byteWidth(*view.type);
  if (count > 0 && storage.empty())
    throw ReadError(describe(input) + " has no bytes in the archive, because the model was exported without values; " +
                    "give them by '--params', or export the model with values");
  std::vector<std::byte> bytes(count * width);
  if (count > 0)
    copyDense(view, 0, storage.data() + static_cast<size_t>(view.offset) * width, width, bytes.data());
  if (*view.type == ElementType::Bool)
    for (std::byte value : bytes)
      if (value > std::byte(1))
        throw ReadError(describe(input) + " has the bool " + std::to_string(int(value)) + " in member '" + member +
                        "', expected 0 or 1; the archive is damaged, save it again");
  return bytes;
}

std::string Pt2Weights::storageOf(const Input &input) const {
  const auto &[member, storage, view] = byPath.at(input.path);
  if (storage.empty()) // all tensors without values share one member
    return input.path;
  std::string name = member + "+" + std::to_string(view.offset);
  for (int64_t stride : view.strides)
    name += "," + std::to_string(stride);
  return name;
}

} // namespace plc::import

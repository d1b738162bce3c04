// Reads lists of numbers from JSON lines, and rows by their offsets.
#include "RaggedRows.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Support/JsonNode.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace plc::runtime {

namespace {

using Json = nlohmann::json;

/// The list of a line, or of its member `key`.
Json parseList(const std::string &where, const std::string &line, const std::string &key) {
  Json value;
  try {
    value = parseJson(line);
  } catch (const JsonError &error) {
    throw fileError(where, error.what());
  }
  if (!key.empty()) {
    if (!value.is_object() || !value.contains(key))
      throw fileError(where, "found no object with '" + key + "', a list of numbers");
    value = Json(value[key]);
  }
  bool isList =
      value.is_array() && std::all_of(value.begin(), value.end(), [](const Json &each) { return each.is_number(); });
  if (isList)
    return value;
  std::string remedy = value.is_object() && key.empty() ? ", or FILE.jsonl:KEY for a list within an object" : "";
  throw fileError(where, "found no list of numbers such as [464, 3290]" + remedy);
}

template <typename Value>
void append(Bytes &bytes, Value value) {
  bytes.resize(bytes.size() + sizeof(value));
  std::memcpy(bytes.data() + bytes.size() - sizeof(value), &value, sizeof(value));
}

/// Reals as the input's type. Digits mean the nearest value, so rounding needs no warning.
Tensor roundReals(const std::string &file, const Tensor &reals, ElementType type) {
  Tensor rounded{reals.info, {}};
  rounded.info.type = type;
  rounded.data.resize(rounded.info.numBytes());
  for (int64_t i = 0; i < reals.info.numElements(); ++i) {
    std::byte *element = rounded.data.data() + static_cast<size_t>(i) * byteWidth(type);
    fillElements(type, 1, element, elementAsDouble(ElementType::F64, reals.data.data(), i));
    if (!std::isfinite(elementAsDouble(type, element, 0)))
      throw fileError(file, "a number is beyond the range of " + std::string(nameOf(type)));
  }
  return rounded;
}

} // namespace

RaggedRows::RaggedRows(const DataOption &option, const TensorInfo &input) {
  std::vector<StoredElements> parts;
  for (const std::string &file : option.files()) {
    bool isLines = endOfLines(file).has_value();
    if (!isLines && !file.ends_with(".npy") && !endOfNumbers(file))
      throw usageError("found '" + file + "' for input '" + input.name +
                       "', expected rows to pack: FILE.jsonl, or FILE.npy or FILE.bin:TYPE beside FILE.offsets.npy");
    files.push_back({isLines ? file.substr(0, *endOfLines(file)) : file, isLines, count()});
    parts.push_back(isLines ? openLines(file, input) : openWithOffsets(file));
  }
  sequence.emplace(input, std::move(parts));
}

StoredElements RaggedRows::openLines(const std::string &text, const TensorInfo &input) {
  size_t end = *endOfLines(text);
  std::string file = text.substr(0, end), key = text.size() > end ? text.substr(end + 1) : "", line;
  std::istringstream in(readFile(file));
  bool isReal = kindOf(input.type) == ElementKind::Real;
  Tensor tensor{{input.name, isReal ? ElementType::F64 : ElementType::I64, {0}}, {}};
  for (int64_t number = 1; std::getline(in, line); ++number) {
    std::string where = file + ":" + std::to_string(number);
    Json list = parseList(where, line, key);
    for (const JsonNode &value : JsonNode(list).elements())
      try {
        isReal ? append(tensor.data, value.number()) : append(tensor.data, value.integer(INT64_MIN, INT64_MAX));
      } catch (const JsonPathError &) {
        throw fileError(where,
                        "found " + value.dump() + ", expected integers of 64 bits for input '" + input.name + "'");
      }
    begins.push_back(begins.back() + static_cast<int64_t>(list.size()));
    tensor.info.shape[0] += static_cast<int64_t>(list.size());
  }
  if (isReal)
    tensor = roundReals(file, tensor, input.type);
  return {file, std::move(tensor)};
}

StoredElements RaggedRows::openWithOffsets(const std::string &file) {
  StoredElements elements = StoredElements::open(file);
  std::string name = offsetsOf(file);
  Tensor offsets = readTensor({name, ""});
  convertTensor(name, "offsets of '" + file + "'", ElementType::I64, offsets);
  if (offsets.info.type != ElementType::I64 || offsets.info.shape.size() != 1 || offsets.info.shape[0] < 1)
    throw fileError(name, "tensor is " + offsets.info.typeText() +
                              ", expected integers on one axis: where each row of '" + file +
                              "' begins, and the number of elements");
  int64_t size = elements.info().numElements(), base = begins.back(), before = 0;
  for (int64_t i = 0; i < offsets.info.shape[0]; ++i) {
    int64_t offset = 0;
    std::memcpy(&offset, offsets.data.data() + static_cast<size_t>(i) * sizeof(offset), sizeof(offset));
    bool isLast = i + 1 == offsets.info.shape[0];
    if (i == 0 ? offset != 0 : offset < before || offset > size || (isLast && offset != size))
      throw fileError(name, "element [" + std::to_string(i) + "] is " + std::to_string(offset) + ", expected " +
                                (i == 0   ? "0"
                                 : isLast ? std::to_string(size) + ", the number of elements of '" + file + "'"
                                          : std::to_string(before) + " to " + std::to_string(size)));
    if (i > 0)
      begins.push_back(base + offset);
    before = offset;
  }
  if (before != size)
    throw fileError(name, "has no rows, but '" + file + "' has " + std::to_string(size) + " elements");
  return elements;
}

std::string RaggedRows::describe(int64_t row) const {
  auto file = std::find_if(files.rbegin(), files.rend(), [&](const File &each) { return each.firstRow <= row; });
  int64_t index = row - file->firstRow;
  return file->isLines ? file->name + ":" + std::to_string(index + 1)
                       : "row " + std::to_string(index) + " of '" + file->name + "'";
}

} // namespace plc::runtime

// Types, sizes and strides of tensors in the JSON of a .pt2 archive.
#include "Read/Pt2Tensor.h"

#include "Read/ReadError.h"

namespace plc::import {

namespace {
/// `ScalarType` of torch/_export/serde/schema.py, which differs from the one of PyTorch's C++.
struct ScalarType {
  int code;
  const char *name;
  std::optional<ElementType> type;
};
constexpr ScalarType scalarTypes[] = {{1, "Byte", ElementType::U8},
                                      {2, "Char", ElementType::I8},
                                      {3, "Short", {}},
                                      {4, "Int", ElementType::I32},
                                      {5, "Long", ElementType::I64},
                                      {6, "Half", ElementType::F16},
                                      {7, "Float", ElementType::F32},
                                      {8, "Double", ElementType::F64},
                                      {9, "ComplexHalf", {}},
                                      {10, "ComplexFloat", {}},
                                      {11, "ComplexDouble", {}},
                                      {12, "Bool", ElementType::Bool},
                                      {13, "BFloat16", ElementType::BF16},
                                      {28, "UInt16", {}},
                                      {29, "Float8_e4m3fn", {}},
                                      {30, "Float8_e5m2", {}},
                                      {31, "Float8_e4m3fnuz", {}},
                                      {32, "Float8_e5m2fnuz", {}},
                                      {33, "Float8_e8m0fnu", {}},
                                      {34, "UInt32", {}},
                                      {35, "UInt64", {}}};
constexpr int64_t mostBytes = int64_t(1) << 48; // what a processor can address
} // namespace

int64_t Pt2Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

std::pair<std::optional<ElementType>, std::string_view> readPt2Type(const JsonNode &code) {
  int64_t wanted = code.integer(0, INT32_MAX);
  for (const ScalarType &each : scalarTypes)
    if (each.code == wanted)
      return {each.type, each.name};
  code.fail("is " + std::to_string(wanted) + ", which is no type of schema 8");
}

std::string refusedType(std::string_view name) {
  return "element type '" + std::string(name) + "', expected one of " + listElementTypes(isAny) +
         "; convert it before the export";
}

std::optional<int64_t> readPt2Size(const JsonNode &size) {
  std::optional<JsonNode> expression = size.find("as_expr");
  if (!expression)
    return size["as_int"].integer(INT64_MIN, INT64_MAX);
  std::optional<JsonNode> hint = expression->find("hint");
  return hint ? std::optional(hint->operator[]("as_int").integer(INT64_MIN, INT64_MAX)) : std::nullopt;
}

static std::vector<int64_t> readSizes(const JsonNode &list, const std::string &what) {
  return list.list([&](const JsonNode &size) {
    std::optional<int64_t> value = readPt2Size(size);
    if (!value)
      throw ReadError(what + " has the size '" + size["as_expr"]["expr_str"].string() +
                      "', which depends on data and has no value at export; export the model with fixed sizes");
    if (*value < 0)
      size.fail("is " + std::to_string(*value) + ", expected 0 or more");
    return *value;
  });
}

Pt2Tensor readPt2Tensor(const JsonNode &meta, const std::string &what) {
  constexpr int64_t strided = 7;
  Pt2Tensor tensor;
  std::tie(tensor.type, tensor.typeName) = readPt2Type(meta["dtype"]);
  tensor.sizes = readSizes(meta["sizes"], what);
  tensor.strides = readSizes(meta["strides"], what);
  tensor.offset = readPt2Size(meta["storage_offset"]).value_or(-1);
  if (int64_t layout = meta["layout"].integer(0, INT32_MAX); layout != strided)
    throw ReadError(what + " has the layout " + std::to_string(layout) + ", expected " + std::to_string(strided) +
                    " (dense); call 'to_dense' on it before the export");
  if (tensor.strides.size() != tensor.sizes.size() || tensor.offset < 0)
    throw ReadError(what + " has " + std::to_string(tensor.sizes.size()) + " sizes, but " +
                    std::to_string(tensor.strides.size()) + " strides from offset " + std::to_string(tensor.offset) +
                    "; the file is damaged, save it again");
  int64_t bytes = sizeof(double);
  for (int64_t size : tensor.sizes)
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes) || bytes > mostBytes)
      throw ReadError(what + " has 2^45 elements or more, which no memory holds; the file is damaged, save it again");
  return tensor;
}

} // namespace plc::import

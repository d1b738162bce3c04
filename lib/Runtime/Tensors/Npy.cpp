// Parses and formats .npy files (the format of numpy.lib.format).
#include "plc/Runtime/Tensors/Npy.h"

#include "FileFormats.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Runtime/Tensors/StoredType.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace plc::runtime {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr size_t longestHeader = 1 << 17; // bytes that are read of a file at once; real headers have about 128

/// The name of a type in the format; empty if it has none.
std::string_view descrOf(ElementType type) {
  return visit(type, [](auto traits) { return traits.npy; });
}

/// Parses the header, a Python dictionary of three keys, token by token. Each error has its offset in the file.
class HeaderReader {
public:
  HeaderReader(const std::string &file, std::string_view text, size_t base) : file(file), text(text), base(base) {}

  void read() {
    expect('{');
    while (!accept('}')) {
      readKey();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at != text.size())
      fail("text after the header's dictionary");
    if (!haveType || !haveOrder || !haveShape)
      fail("header lacks 'descr', 'fortran_order' or 'shape'");
    info.type = type->readAs;
  }

  TensorInfo info;
  const StoredType *type = nullptr;
  bool columnsFirst = false; // 'fortran_order'

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw fileError(file, what + " (offset " + std::to_string(base + at) + ")");
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool accept(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("header has no '") + c + "' here");
  }
  std::string_view readString() {
    if (!accept('\''))
      fail("header has no string here");
    size_t end = text.find('\'', at);
    if (end == text.npos)
      fail("a string of the header does not end");
    std::string_view string = text.substr(at, end - at);
    at = end + 1;
    return string;
  }
  // Reports an error at an earlier position.
  [[noreturn]] void failAt(size_t location, const std::string &what) {
    at = location;
    fail(what);
  }
  void readKey() {
    skipSpace();
    size_t location = at;
    std::string_view key = readString();
    expect(':');
    bool *have = key == "descr"           ? &haveType
                 : key == "fortran_order" ? &haveOrder
                 : key == "shape"         ? &haveShape
                                          : nullptr;
    if (!have)
      failAt(location, "unknown header key '" + std::string(key) + "'");
    if (*have)
      failAt(location, "header key '" + std::string(key) + "' is given twice");
    *have = true;
    skipSpace();
    if (have == &haveType)
      readType();
    else if (have == &haveOrder)
      readOrder();
    else
      readShape();
  }
  void readType() {
    size_t location = at;
    std::string_view descr = readString();
    std::string known;
    for (const StoredType &each : storedTypes()) {
      if (each.npy.empty())
        continue;
      known += " '" + std::string(each.npy) + "'";
      if (each.npy == descr)
        type = &each;
    }
    if (type)
      return;
    failAt(location, "element type '" + std::string(descr) + "' is not one of" + known);
  }
  void readOrder() {
    columnsFirst = text.substr(at, 4) == "True";
    if (!columnsFirst && text.substr(at, 5) != "False")
      fail("'fortran_order' is neither True nor False");
    at += columnsFirst ? 4 : 5;
  }
  void readShape() {
    expect('(');
    int64_t elements = 1;
    while (!accept(')')) {
      skipSpace();
      int64_t extent = 0;
      auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
      if (error != std::errc() || extent < 0)
        fail("an extent is not an integer from 0 to 2^63-1");
      // 2^59 elements of 8 bytes are 2^62 bytes: later products cannot overflow. numpy has at most 64 axes.
      if (__builtin_mul_overflow(elements, extent, &elements) || elements > (int64_t(1) << 59))
        fail("the tensor has more than 2^59 elements");
      at = static_cast<size_t>(end - text.data());
      info.shape.push_back(extent);
      if (info.shape.size() > 64)
        fail("the tensor has more than 64 axes");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  const std::string &file;
  std::string_view text;
  size_t base, at = 0;
  bool haveType = false, haveOrder = false, haveShape = false;
};

/// From column-major to row-major order: writes in order, and moves the offset of the source like an odometer.
void reorder(Tensor &tensor) {
  const std::vector<int64_t> &shape = tensor.info.shape;
  size_t width = byteWidth(tensor.info.type);
  std::vector<int64_t> strides(shape.size(), 1), at(shape.size(), 0);
  for (size_t axis = 1; axis < shape.size(); ++axis)
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  Bytes ordered(tensor.data.size());
  int64_t from = 0;
  for (size_t to = 0; to < ordered.size(); to += width) {
    std::memcpy(&ordered[to], &tensor.data[static_cast<size_t>(from) * width], width);
    for (size_t axis = shape.size(); axis-- > 0; at[axis] = 0) {
      from += strides[axis];
      if (++at[axis] < shape[axis])
        break;
      from -= strides[axis] * shape[axis];
    }
  }
  tensor.data = std::move(ordered);
}

/// Names the type in the file if it is not the type of the tensor: sizes follow from it.
std::string storedAs(const StoredType &type) {
  return type.npy == descrOf(type.readAs) ? "" : " stored as '" + std::string(type.npy) + "'";
}

struct Header {
  HeaderReader fields;
  size_t end; // offset of the data
};

/// Parses the header at the beginning of a file of `size` bytes, of which `bytes` are the first.
Header readHeader(const std::string &file, std::string_view bytes, size_t size) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != magic)
    throw notOfFormat(file, ".npy", bytes.substr(0, formatBytes));
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    throw fileError(file, ".npy version " + std::to_string(version) + " is not 1, 2 or 3 (offset 6)");
  size_t lengthBytes = version == 1 ? 2 : 4, start = 8 + lengthBytes;
  uint32_t length = 0;
  if (bytes.size() < start)
    throw fileError(file, "the file ends in its header (offset " + std::to_string(bytes.size()) + ")");
  std::memcpy(&length, bytes.data() + 8, lengthBytes);
  if (length > size - start)
    throw fileError(file, "header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size) +
                              " (offset 8)");
  if (length > bytes.size() - start)
    throw fileError(file, "header of " + std::to_string(length) + " bytes, expected at most " +
                              std::to_string(longestHeader) + " (offset 8)");
  Header header{{file, bytes.substr(start, length), start}, start + length};
  header.fields.read();
  TensorInfo &info = header.fields.info;
  size_t found = size - header.end, expected = static_cast<size_t>(info.numElements()) * header.fields.type->width;
  if (found != expected)
    throw fileError(file, "found " + std::to_string(found) + " bytes of data, expected " + std::to_string(expected) +
                              " for " + info.typeText() + storedAs(*header.fields.type) + " (offset " +
                              std::to_string(header.end) + ")");
  return header;
}

} // namespace

Tensor parseNpy(const std::string &file, std::string_view bytes) {
  Header header = readHeader(file, bytes, bytes.size());
  Tensor tensor{header.fields.info, header.fields.type->read(bytes.substr(header.end))};
  if (int64_t bad = firstBadBool(tensor); bad >= 0)
    throw fileError(file, "a bool is neither 0 nor 1 (offset " + std::to_string(header.end + size_t(bad)) + ")");
  if (header.fields.columnsFirst)
    reorder(tensor);
  return tensor;
}

StoredElements openNpy(const std::string &file) {
  PartsOfFile bytes(file);
  std::string begin(std::min(bytes.size(), longestHeader), '\0');
  bytes.read(0, begin.size(), begin.data());
  Header header = readHeader(file, begin, bytes.size());
  // Column-major data has no contiguous rows, so it is reordered in memory.
  if (header.fields.columnsFirst)
    return {file, parseNpy(file, readFile(file))};
  return {file, std::move(bytes), *header.fields.type, header.end, header.fields.info};
}

std::string formatNpy(const Tensor &tensor) {
  std::string_view descr = descrOf(tensor.info.type);
  if (descr.empty()) {
    Tensor wide = tensor;
    convertTensor("", "", sumTypeOf(tensor.info.type), wide); // exact
    return formatNpy(wide);
  }
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.info.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64; the header ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(tensor.data.data()), tensor.data.size());
  return bytes;
}

} // namespace plc::runtime

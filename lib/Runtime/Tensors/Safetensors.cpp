// Checks, reads and writes .safetensors files.
#include "plc/Runtime/Tensors/Safetensors.h"

#include "FileFormats.h"
#include "plc/Module/ModuleSeal.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Support/Json.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

namespace plc::runtime {

using nlohmann::json;

namespace {

/// The key with the hash of all data up to the end of a tensor.
const std::string hashUntilPrefix = "hash until ";
/// The key with the hash of the header itself, computed with zeros in the place of its digits.
const std::string headerHashKey = "header hash", zeroHash(16, '0');

/// The offset of those digits in a header; its end if there are none.
size_t offsetOfHeaderHash(const std::string &header) {
  size_t key = header.find("\"" + headerHashKey + "\"");
  size_t quote = key == std::string::npos ? key : header.find('"', key + headerHashKey.size() + 2);
  return quote == std::string::npos ? header.size() : quote + 1;
}

std::string hexOf(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string_view dtypeOf(ElementType type) {
  return visit(type, [](auto traits) { return traits.safetensors; });
}

} // namespace

/// Reads one header and checks it against the file. A file from anywhere cannot make a later read go out of bounds.
class SafetensorsHeader {
public:
  explicit SafetensorsHeader(SafetensorsFile &into) : into(into), file(into.file), size(into.bytes.size()) {}

  void read() {
    json header = parseHeader();
    for (auto &[name, value] : header.items()) {
      if (name == "__metadata__")
        readMetadata(value);
      else
        readTensor(name, value);
    }
    checkHeaderHash();
    checkCoverage();
    auto hash = into.metadata.find("hash");
    if (hash == into.metadata.end())
      return;
    if (std::string found = hexOf(hashOf(dataStart, size)); hash->second != found) {
      checkEachHash();
      fail("data has hash '" + found + "', expected '" + hash->second + "'", dataStart);
    }
  }

private:
  [[noreturn]] void fail(const std::string &text, size_t offset) const {
    throw fileError(file, text + " (offset " + std::to_string(offset) + ")");
  }

  // Throws unless the file begins with a length and a brace. Names the format that it seems to have.
  void checkFormat() const {
    std::string begin(std::min(size, formatBytes), '\0');
    into.bytes.read(0, begin.size(), begin.data());
    uint64_t length = 0;
    if (begin.size() < 9)
      throw notOfFormat(file, ".safetensors", begin);
    std::memcpy(&length, begin.data(), sizeof(length));
    if (begin[8] != '{' && (length > size - 8 || formatOf(begin)))
      throw notOfFormat(file, ".safetensors", begin);
  }

  json parseHeader() {
    checkFormat();
    uint64_t length = 0;
    into.bytes.read(0, 8, reinterpret_cast<char *>(&length));
    if (length > size - 8)
      fail("header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size), 0);
    dataStart = 8 + length;
    text.resize(length);
    into.bytes.read(8, length, text.data());
    // The parser keeps the last of equal keys without an error. So duplicates are found while it reads.
    std::vector<std::set<std::string>> open;
    auto callback = [&](int, json::parse_event_t event, json &value) {
      if (event == json::parse_event_t::object_start)
        open.emplace_back();
      else if (event == json::parse_event_t::object_end)
        open.pop_back();
      else if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
        fail("header has '" + value.get<std::string>() + "' twice", 8);
      return true;
    };
    try {
      json header = parseJson(text, callback);
      if (!header.is_object())
        fail("header is not a JSON object", 8);
      return header;
    } catch (const JsonError &error) {
      fail(std::string("header ") + error.what(), 8 + error.offset);
    }
  }

  // Checks the header's own hash: the data's does not cover names, shapes and the step.
  void checkHeaderHash() {
    auto expected = into.metadata.find(headerHashKey);
    if (expected == into.metadata.end())
      return;
    size_t location = offsetOfHeaderHash(text);
    std::string hash =
        hexOf(module::fnv1a(text.replace(location, std::min(zeroHash.size(), text.size() - location), zeroHash)));
    if (hash != expected->second)
      fail("header has hash '" + hash + "', expected '" + expected->second + "'", 8);
  }

  // The hash of a range of the file, continued from `hash`. Reads 1 MiB at a time.
  uint64_t hashOf(size_t begin, size_t end, uint64_t hash = module::fnv1a({})) const {
    std::string chunk(std::min<size_t>(1 << 20, end - begin), '\0');
    for (size_t at = begin; at < end; at += chunk.size()) {
      chunk.resize(std::min(chunk.size(), end - at));
      into.bytes.read(at, chunk.size(), chunk.data());
      hash = module::fnv1a(chunk, hash);
    }
    return hash;
  }

  // Throws for the first damaged tensor, found by the hashes of all data up to the end of each.
  void checkEachHash() const {
    std::map<size_t, std::string> ends;
    for (const auto &[name, location] : into.locations)
      ends[location.begin + location.size] = name;
    uint64_t found = module::fnv1a({});
    size_t begin = dataStart;
    for (const auto &[end, name] : ends) {
      found = hashOf(begin, end, found);
      begin = end;
      auto hash = into.metadata.find(hashUntilPrefix + name);
      if (hash != into.metadata.end() && hash->second != hexOf(found))
        fail("tensor '" + name + "' is damaged: the data up to its end has another hash than '" + hash->second + "'",
             into.locations.at(name).begin);
    }
  }

  void readMetadata(const json &value) {
    if (!value.is_object())
      fail("'__metadata__' is not an object", 8);
    for (auto &[key, text] : value.items()) {
      if (!text.is_string())
        fail("metadata '" + key + "' is not a string", 8);
      into.metadata[key] = text.get<std::string>();
    }
  }

  // A list of integers from 0 to 2^59.
  std::vector<int64_t> readIntegers(const std::string &name, const json &value, const char *key) {
    std::vector<int64_t> integers;
    if (!value.is_object() || !value.contains(key) || !value[key].is_array())
      fail("tensor '" + name + "' has no list '" + key + "'", 8);
    for (const json &element : value[key]) {
      if (!element.is_number_unsigned() || element.get<uint64_t>() > (uint64_t(1) << 59))
        fail("tensor '" + name + "' has a bad number in '" + key + "'", 8);
      integers.push_back(element.get<int64_t>());
    }
    return integers;
  }

  void readTensor(const std::string &name, const json &value) {
    StoredTensor info;
    info.name = name;
    info.shape = readIntegers(name, value, "shape");
    std::vector<int64_t> range = readIntegers(name, value, "data_offsets");
    if (!value.contains("dtype") || !value["dtype"].is_string() || value["dtype"].get<std::string>().empty())
      fail("tensor '" + name + "' has no string 'dtype'", 8);
    std::string dtype = value["dtype"].get<std::string>();
    const std::span<const StoredType> types = storedTypes();
    auto type = std::find_if(types.begin(), types.end(), [&](const auto &each) { return each.safetensors == dtype; });
    int64_t available = static_cast<int64_t>(size - dataStart);
    if (range.size() != 2 || range[0] > range[1] || range[1] > available)
      fail("tensor '" + name + "' lies outside the file's " + std::to_string(available) + " bytes of data", 8);
    if (type == types.end()) {
      info.unreadable = dtype;
    } else {
      info.type = type->readAs;
      checkSize(info, static_cast<int64_t>(type->width), range[1] - range[0]);
    }
    ranges.emplace_back(range[0], range[1]);
    into.locations[name] = {info.isReadable() ? &*type : nullptr, dataStart + static_cast<size_t>(range[0]),
                            static_cast<size_t>(range[1] - range[0])};
    into.tensors[name] = std::move(info);
  }

  void checkSize(const StoredTensor &info, int64_t width, int64_t found) {
    int64_t wanted = width;
    for (int64_t extent : info.shape)
      if (__builtin_mul_overflow(wanted, extent, &wanted))
        fail("tensor '" + info.name + "' has 2^63 bytes or more", 8);
    if (found != wanted)
      fail("tensor '" + info.name + "' has " + std::to_string(found) + " bytes, expected " + std::to_string(wanted) +
               " for " + info.typeText(),
           8);
  }

  // Tensors must cover the data without gap or overlap, as the format demands.
  void checkCoverage() {
    std::sort(ranges.begin(), ranges.end());
    int64_t end = 0;
    for (auto [first, last] : ranges) {
      if (first != end)
        fail("data has a gap or an overlap", dataStart + static_cast<size_t>(std::min(first, end)));
      end = last;
    }
    if (dataStart + static_cast<size_t>(end) != size)
      fail("bytes after the last tensor", dataStart + static_cast<size_t>(end));
  }

  SafetensorsFile &into;
  const std::string &file;
  size_t size, dataStart = 0;
  std::string text; // the header's
  std::vector<std::pair<int64_t, int64_t>> ranges;
};

SafetensorsFile::SafetensorsFile(const std::string &file) : file(file), bytes(file) { SafetensorsHeader(*this).read(); }

std::string StoredTensor::typeText() const {
  std::string text = TensorInfo::typeText();
  return isReadable() ? text : unreadable + text.substr(text.find('['));
}

std::string StoredTensor::unreadableText() const {
  std::string known;
  for (const StoredType &each : storedTypes())
    known += (known.empty() ? "" : ", ") + std::string(each.safetensors);
  return "tensor '" + name + "' has element type '" + unreadable + "', expected one of " + known;
}

Tensor SafetensorsFile::read(const std::string &name) const {
  if (const StoredTensor &info = tensors.at(name); !info.isReadable())
    throw fileError(file, info.unreadableText());
  const Location &location = locations.at(name);
  Tensor tensor{tensors.at(name), Bytes(tensors.at(name).numBytes())};
  constexpr size_t chunk = 1 << 20; // bytes of the file that are in memory beside the tensor
  std::string stored;
  std::byte *out = tensor.data.data();
  for (size_t done = 0; done < location.size; done += stored.size()) {
    stored.resize(std::min(chunk, location.size - done));
    bytes.read(location.begin + done, stored.size(), stored.data());
    size_t count = stored.size() / location.type->width;
    location.type->widen(reinterpret_cast<const std::byte *>(stored.data()), count, out);
    out += count * byteWidth(tensor.info.type);
  }
  if (int64_t bad = firstBadBool(tensor); bad >= 0)
    throw fileError(file, "tensor '" + name + "' has a bool that is neither 0 nor 1 (offset " +
                              std::to_string(location.begin + static_cast<size_t>(bad)) + ")");
  return tensor;
}

StoredElements openSafetensors(const std::string &file, const std::string &name) {
  SafetensorsFile contents(file);
  if (!contents.tensors.count(name))
    throw fileError(file, "tensor '" + name + "' is missing");
  if (const StoredTensor &info = contents.tensors.at(name); !info.isReadable())
    throw fileError(file, info.unreadableText());
  const SafetensorsFile::Location &location = contents.locations.at(name);
  return {file, std::move(contents.bytes), *location.type, location.begin, contents.tensors.at(name)};
}

void Safetensors::add(TensorInfo info, std::function<void(std::byte *out)> read) {
  std::string name = info.name;
  tensors[name] = {std::move(info), std::move(read)};
}

void Safetensors::add(const std::string &name, TensorInfo info, const Bytes &data) {
  info.name = name;
  add(std::move(info), [&data](std::byte *out) { std::memcpy(out, data.data(), data.size()); });
}

/// Calls visit(source, its bytes) for each tensor, in the order of the file.
template <class Visit>
static void forEachTensor(const std::map<std::string, Safetensors::Source> &tensors, Visit visit) {
  Bytes bytes;
  for (const auto &[name, source] : tensors) {
    bytes.resize(source.info.numBytes());
    source.read(bytes.data());
    visit(source, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  }
}

void Safetensors::write(const std::string &file) const {
  json header = json::object();
  header["__metadata__"] = metadata;
  uint64_t hash = module::fnv1a({});
  size_t end = 0;
  // Two passes: hashes stand in the header, before the data, and a pipe can only be written from front to back.
  forEachTensor(tensors, [&](const Source &source, std::string_view bytes) {
    size_t begin = end;
    end += bytes.size();
    hash = module::fnv1a(bytes, hash);
    header["__metadata__"][hashUntilPrefix + source.info.name] = hexOf(hash);
    header[source.info.name] = {
        {"dtype", dtypeOf(source.info.type)}, {"shape", source.info.shape}, {"data_offsets", {begin, end}}};
  });
  header["__metadata__"]["hash"] = hexOf(hash);
  header["__metadata__"][headerHashKey] = zeroHash;
  std::string text = header.dump();
  // Padded, so that the data is aligned to 8 bytes.
  text.append((8 - text.size() % 8) % 8, ' ');
  text.replace(offsetOfHeaderHash(text), zeroHash.size(), hexOf(module::fnv1a(text)));
  uint64_t length = text.size();
  FileWriter writer(file);
  writer.write(std::string(reinterpret_cast<const char *>(&length), 8) + text);
  forEachTensor(tensors, [&](const Source &, std::string_view bytes) { writer.write(bytes); });
  writer.finish();
}

Tensor SafetensorsFile::readAs(const TensorInfo &wanted) const {
  if (!tensors.count(wanted.name))
    throw fileError(file, "tensor '" + wanted.name + "' is missing");
  Tensor tensor = read(wanted.name);
  convertTensor(file, "tensor '" + wanted.name + "'", wanted.type, tensor);
  if (tensor.info.type != wanted.type || tensor.info.shape != wanted.shape)
    throw fileError(file,
                    "tensor '" + wanted.name + "' is " + tensor.info.typeText() + ", expected " + wanted.typeText());
  return tensor;
}

} // namespace plc::runtime

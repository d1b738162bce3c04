#include "Data.h"

#include "Files.h"
#include "plc/Runtime/InitialValues.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {

bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

const DataOption &findOption(const TensorInfo &input, const std::vector<DataOption> &options) {
  for (const DataOption &option : options)
    if (option.input == input.name)
      return option;
  throw usageError("input '" + input.name + "' has no data: add --data " + input.name + "=FILE");
}

template <class T> void widen(std::string_view bytes, std::byte *out) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    T value = static_cast<T>(static_cast<unsigned char>(bytes[i]));
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

void widenTo(ElementType type, std::string_view bytes, std::byte *out) {
  switch (type) {
  case ElementType::F64:
    return widen<double>(bytes, out);
  case ElementType::F32:
    return widen<float>(bytes, out);
  case ElementType::I64:
    return widen<int64_t>(bytes, out);
  case ElementType::I32:
    return widen<int32_t>(bytes, out);
  }
}

void checkNames(const EntryInfo &entry, const std::vector<DataOption> &options) {
  for (size_t i = 0; i < options.size(); ++i) {
    const DataOption &option = options[i];
    for (size_t j = 0; j < i; ++j)
      if (options[j].input == option.input)
        throw usageError("input '" + option.input + "' has two --data");
    bool known = std::any_of(entry.inputs.begin(), entry.inputs.end(),
                             [&](const TensorInfo &input) { return input.name == option.input; });
    if (!known)
      throw usageError("the model has no input '" + option.input + "'");
    if (endsWith(option.file, ".npy") || endsWith(option.file, ".safetensors"))
      throw usageError("--data from rows of a tensor file ('" + option.file + "') is not supported yet");
  }
}

} // namespace

ByteWindows::ByteWindows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout)
    : batch(entry.batch) {
  checkNames(entry, options);
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    if (!input.batched)
      throw usageError("--data for input '" + input.name + "', which has no batch axis, is not supported yet");
    Source source{input, option.file, readFile(option.file), option.shift, input.numElements() / batch};
    int64_t bytes = static_cast<int64_t>(source.text.size());
    size = sources.empty() ? bytes : std::min(size, bytes);
    reach = std::max(reach, source.window + source.shift);
    stride = std::max(stride, source.window);
    sources.push_back(std::move(source));
  }
  heldOutStart = size - static_cast<int64_t>(static_cast<double>(size) * holdout);
}

void ByteWindows::checkTraining() const {
  if (!sources.empty() && numTrainStarts() < 1)
    throw fileError(sources[0].file, "found " + std::to_string(heldOutStart) +
                                         " bytes to train on, expected at least " + std::to_string(reach) +
                                         " for a window and its shift");
}

void ByteWindows::checkHeldOut() const {
  if (sources.empty() || numHeldOutBatches() > 0)
    return;
  throw fileError(sources[0].file, "found " + std::to_string(size - heldOutStart) +
                                       " held-out bytes, expected at least " +
                                       std::to_string((batch - 1) * stride + reach) + " for a batch of " +
                                       std::to_string(batch) + " windows")
      .note("a larger --holdout gives more; --holdout 0 trains without a held-out part");
}

std::vector<Bytes> ByteWindows::readBatch(const std::vector<int64_t> &starts) const {
  std::vector<Bytes> tensors;
  for (const Source &source : sources) {
    Bytes &tensor = tensors.emplace_back(source.input.numBytes());
    size_t sampleBytes = static_cast<size_t>(source.window) * byteWidth(source.input.type);
    for (size_t sample = 0; sample < starts.size(); ++sample) {
      auto begin = static_cast<size_t>(starts[sample] + source.shift);
      widenTo(source.input.type, std::string_view(source.text).substr(begin, static_cast<size_t>(source.window)),
              tensor.data() + sample * sampleBytes);
    }
  }
  return tensors;
}

std::vector<Bytes> ByteWindows::trainBatch(uint64_t seed, int64_t step) const {
  static const uint64_t stream = hashBytes("data");
  std::vector<int64_t> starts;
  for (int64_t sample = 0; sample < batch; ++sample) {
    uint64_t bits = randomBits(seed, stream, static_cast<uint64_t>(step * batch + sample));
    // The high half of a 128-bit product: bits / 2^64 of the range, without division or modulo bias of note.
    auto scaled = static_cast<unsigned __int128>(bits) * static_cast<uint64_t>(numTrainStarts());
    starts.push_back(static_cast<int64_t>(scaled >> 64));
  }
  return readBatch(starts);
}

int64_t ByteWindows::numHeldOutBatches() const {
  int64_t heldOut = size - heldOutStart;
  if (heldOut < reach || stride == 0)
    return 0;
  return ((heldOut - reach) / stride + 1) / batch;
}

std::vector<Bytes> ByteWindows::heldOutBatch(int64_t index) const {
  std::vector<int64_t> starts;
  for (int64_t sample = 0; sample < batch; ++sample)
    starts.push_back(heldOutStart + (index * batch + sample) * stride);
  return readBatch(starts);
}

} // namespace plc::runtime

#include "Windows.h"

#include "ConvertTensor.h"
#include "Files.h"
#include "TensorFile.h"
#include "plc/Runtime/InitialValues.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {

/// Each byte as an element.
void widenTo(ElementType type, std::string_view bytes, std::byte *out) {
  visit(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    for (size_t i = 0; i < bytes.size(); ++i) {
      T value = static_cast<T>(static_cast<unsigned char>(bytes[i]));
      std::memcpy(out + i * sizeof(T), &value, sizeof(T));
    }
  });
}

} // namespace

Windows::Windows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout) : batch(entry.batch) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    Source source{input, option.file, {}, {}, option.shift, input.numElements() / batch};
    int64_t length = isTensorFile(option.file) ? readElements(source) : readBytes(source);
    size = sources.empty() ? length : std::min(size, length);
    reach = std::max(reach, source.window + source.shift);
    stride = std::max(stride, source.window);
    sources.push_back(std::move(source));
  }
  heldOutStart = size - static_cast<int64_t>(static_cast<double>(size) * holdout);
}

int64_t Windows::readElements(Source &source) {
  Tensor tensor = readTensor(TensorPlace::parse(source.file));
  convertTensor(source.file, "input '" + source.input.name + "'", source.input.type, tensor);
  if (tensor.info.type != source.input.type)
    throw fileError(source.file, "elements of " + tensor.info.typeText() + ", expected " +
                                     std::string(nameOf(source.input.type)) + " for input '" + source.input.name + "'");
  source.elements = std::move(tensor.data);
  unit = "elements";
  return tensor.info.numElements();
}

int64_t Windows::readBytes(Source &source) const {
  const TensorInfo &input = source.input;
  if (kindOf(input.type) == ElementKind::Truth)
    throw usageError("input '" + input.name + "' is " + input.typeText() + ": bytes of a file are no truth values; " +
                     "give rows of a .npy or .safetensors file");
  if (kindOf(input.type) == ElementKind::Real)
    throw usageError("input '" + input.name + "' is " + input.typeText() + ", but '" + source.file +
                     "' would be read as bytes of text; give rows of a .npy or .safetensors file");
  source.text = readFile(source.file);
  return static_cast<int64_t>(source.text.size());
}

void Windows::checkTraining() const {
  if (!sources.empty() && numTrainStarts() < 1)
    throw fileError(sources[0].file, "found " + std::to_string(heldOutStart) + " " + unit +
                                         " to train on, expected at least " + std::to_string(reach) +
                                         " for a window and its shift");
}

void Windows::checkHeldOut() const {
  if (sources.empty() || numHeldOutBatches() > 0)
    return;
  throw fileError(sources[0].file, "found " + std::to_string(size - heldOutStart) + " held-out " + unit +
                                       ", expected at least " + std::to_string((batch - 1) * stride + reach) +
                                       " for a batch of " + std::to_string(batch) + " windows")
      .note("a larger --holdout gives more; --holdout 0 trains without a held-out part");
}

std::vector<Bytes> Windows::readBatch(const std::vector<int64_t> &starts) const {
  std::vector<Bytes> tensors;
  for (const Source &source : sources) {
    Bytes &tensor = tensors.emplace_back(source.input.numBytes());
    Bytes window(static_cast<size_t>(source.window) * byteWidth(source.input.type));
    for (size_t sample = 0; sample < starts.size(); ++sample) {
      auto begin = static_cast<size_t>(starts[sample] + source.shift);
      if (source.isTensor())
        std::memcpy(window.data(), source.elements.data() + begin * byteWidth(source.input.type), window.size());
      else
        widenTo(source.input.type, std::string_view(source.text).substr(begin, static_cast<size_t>(source.window)),
                window.data());
      putSamples(source.input, tensor.data(), static_cast<int64_t>(sample), 1, window.data());
    }
  }
  return tensors;
}

std::vector<Bytes> Windows::trainBatch(uint64_t seed, int64_t step) const {
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

int64_t Windows::numHeldOutBatches() const {
  int64_t heldOut = size - heldOutStart;
  if (heldOut < reach || stride == 0)
    return 0;
  return ((heldOut - reach) / stride + 1) / batch;
}

std::vector<Bytes> Windows::heldOutBatch(int64_t index) const {
  std::vector<int64_t> starts;
  for (int64_t sample = 0; sample < batch; ++sample)
    starts.push_back(heldOutStart + (index * batch + sample) * stride);
  return readBatch(starts);
}

} // namespace plc::runtime

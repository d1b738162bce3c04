// Positions of training and held-out windows.
#include "DataWindows.h"

#include "FileFormats.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Runtime/Tensors/TensorFile.h"

#include <algorithm>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// The stream of draws. It is part of the meaning of a seed, so it never changes.
const uint64_t stream = hashBytes("data");

/// Throws if the bytes of a file cannot be meant as values of the input.
void checkBytes(const TensorInfo &input, const std::string &file) {
  if (auto format = formatOfFile(file); format && !format->isText) {
    Error error =
        fileError(file, "is " + format->name + ", no text, whose bytes input '" + input.name + "' would take");
    addRemedy(file, *format, error);
    throw error;
  }
  if (kindOf(input.type) == ElementKind::Truth)
    throw usageError("input '" + input.name + "' is " + input.typeText() + ": bytes of a file are no truth values; " +
                     "give rows of a .npy or .safetensors file");
  if (kindOf(input.type) == ElementKind::Real)
    throw usageError("input '" + input.name + "' is " + input.typeText() + ", but '" + file +
                     "' would be read as bytes of text; give rows of a .npy or .safetensors file");
  if (size_t colon = file.rfind(':');
      colon != file.npos && ::access(file.c_str(), F_OK) != 0 && ::access(file.substr(0, colon).c_str(), F_OK) == 0)
    throw usageError("found '" + file + "', but a type belongs to a .bin file: '" + file.substr(0, colon) +
                     "' is read as bytes");
}

} // namespace

/// The shortest source decides how many windows there are.
Windows::Windows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout, WindowOrder order)
    : SampledData(entry), order(order), epochs(stream) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    bool isBytes = !isTensorFile(option.file) && !endOfNumbers(option.file);
    for (const std::string &file : isBytes ? option.files() : std::vector<std::string>())
      checkBytes(input, file);
    if (!isBytes)
      unit = "elements";
    std::vector<StoredElements> files;
    for (const std::string &file : option.files())
      files.push_back(isBytes ? StoredElements::openBytes(file) : StoredElements::open(file));
    Source source{option.file, {input, std::move(files)}, option.shift, input.numElements() / batch};
    size = sources.empty() ? source.elements.size() : std::min(size, source.elements.size());
    reach = std::max(reach, source.window + source.shift);
    stride = std::max(stride, source.window);
    sources.push_back(std::move(source));
  }
  heldOutStart = numTrainedOn(size, holdout);
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
  throw noHeldOutBatch(sources[0].file,
                       "found " + std::to_string(size - heldOutStart) + " held-out " + unit + ", expected at least " +
                           std::to_string((batch - 1) * stride + reach) + " for a batch of " + std::to_string(batch) +
                           " windows",
                       heldOutStart == 0);
}

void Windows::putWindow(int64_t start, int64_t at, std::vector<Bytes> &tensors) const {
  for (size_t input = 0; input < sources.size(); ++input) {
    const Source &source = sources[input];
    Bytes window(static_cast<size_t>(source.window) * byteWidth(inputs[input].type));
    source.elements.read(start + source.shift, source.window, window.data());
    putSamples(inputs[input], tensors[input].data(), at, 1, window.data());
  }
}

/// Windows of an epoch stand side by side. They start at an offset of the epoch's own, so that each epoch cuts the text
/// elsewhere.
int64_t Windows::startInEpoch(uint64_t seed, int64_t number) const {
  int64_t last = numTrainStarts() - 1, count = last / stride + 1, rest = last % stride;
  int64_t epoch = number / count;
  // ~stream: independent of the draws of the other order.
  int64_t first = randomBelow(rest + 1, seed, ~stream, static_cast<uint64_t>(epoch));
  return first + stride * epochs.at(number % count, count, seed, epoch);
}

int64_t Windows::trainStart(uint64_t seed, int64_t number) const {
  if (order == WindowOrder::Epochs)
    return startInEpoch(seed, number);
  // Draws count from `batch` on: part of the meaning of a seed.
  return randomBelow(numTrainStarts(), seed, stream, static_cast<uint64_t>(batch + number));
}

void Windows::putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putWindow(trainStart(seed, number), at, tensors);
}

void Windows::putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putWindow(heldOutStart + number * stride, at, tensors);
}

std::string Windows::describeSample(uint64_t seed, int64_t number, size_t input) const {
  const Source &source = sources[input];
  int64_t first = trainStart(seed, number) + source.shift;
  return std::string(unit) + " " + std::to_string(first) + " to " + std::to_string(first + source.window - 1) +
         " of '" + source.file + "'";
}

int64_t Windows::numHeldOut() const {
  int64_t heldOut = size - heldOutStart;
  if (heldOut < reach || stride == 0)
    return 0;
  // A window needs `reach` elements from its start; starts are `stride` apart.
  return (heldOut - reach) / stride + 1;
}

} // namespace plc::runtime

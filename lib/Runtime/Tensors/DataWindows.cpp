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
    : batch(entry.batch), order(order), epochs(stream) {
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
    Source source{input, option.file, {input, std::move(files)}, option.shift, input.numElements() / batch};
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
      source.elements.read(starts[sample] + source.shift, source.window, window.data());
      putSamples(source.input, tensor.data(), static_cast<int64_t>(sample), 1, window.data());
    }
  }
  return tensors;
}

/// Windows of an epoch stand side by side. They start at an offset of the epoch's own, so that each epoch cuts the text
/// elsewhere.
std::vector<int64_t> Windows::startsOfEpochs(uint64_t seed, int64_t step) const {
  int64_t last = numTrainStarts() - 1, count = last / stride + 1, rest = last % stride;
  std::vector<int64_t> starts;
  for (int64_t sample = (step - 1) * batch + shift; sample < step * batch + shift; ++sample) {
    int64_t epoch = sample / count;
    // ~stream: independent of the draws of the other order.
    int64_t first = randomBelow(rest + 1, seed, ~stream, static_cast<uint64_t>(epoch));
    starts.push_back(first + stride * epochs.at(sample % count, count, seed, epoch));
  }
  return starts;
}

std::vector<Bytes> Windows::trainBatch(uint64_t seed, int64_t step) const { return readBatch(trainStarts(seed, step)); }

std::string Windows::describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const {
  const Source &source = sources[input];
  int64_t first = trainStarts(seed, step)[static_cast<size_t>(sample)] + source.shift;
  return std::string(unit) + " " + std::to_string(first) + " to " + std::to_string(first + source.window - 1) +
         " of '" + source.file + "'";
}

std::vector<int64_t> Windows::trainStarts(uint64_t seed, int64_t step) const {
  if (order == WindowOrder::Epochs)
    return startsOfEpochs(seed, step);
  std::vector<int64_t> starts;
  for (int64_t sample = 0; sample < batch; ++sample)
    starts.push_back(randomBelow(numTrainStarts(), seed, stream, static_cast<uint64_t>(step * batch + shift + sample)));
  return starts;
}

int64_t Windows::numHeldOutBatches() const {
  int64_t heldOut = size - heldOutStart;
  if (heldOut < reach || stride == 0)
    return 0;
  // A window needs `reach` elements from its start; starts are `stride` apart.
  return ((heldOut - reach) / stride + 1) / batch;
}

std::vector<Bytes> Windows::heldOutBatch(uint64_t /*seed*/, int64_t index) const {
  std::vector<int64_t> starts;
  for (int64_t sample = 0; sample < batch; ++sample)
    starts.push_back(heldOutStart + (index * batch + sample) * stride);
  return readBatch(starts);
}

} // namespace plc::runtime

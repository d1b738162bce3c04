#include "TensorRows.h"

#include "ConvertTensor.h"
#include "TensorFile.h"
#include "plc/Runtime/InitialValues.h"

#include <numeric>

namespace plc::runtime {

namespace {

/// All rows have the type and shape of a sample of the input.
void checkRows(const std::string &file, const TensorInfo &found, const TensorInfo &input) {
  TensorInfo expected = input;
  auto axis = static_cast<size_t>(input.batchAxis);
  if (found.shape.size() > axis)
    expected.shape[axis] = found.shape[axis];
  if (found.type != expected.type || found.shape != expected.shape)
    throw fileError(file, "rows of " + found.typeText() + ", expected " + expected.typeText() + " for input '" +
                              input.name + "'");
}

} // namespace

TensorRows::TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout)
    : batch(entry.batch) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    if (option.shift)
      throw usageError("rows of a tensor file ('" + option.file + "') cannot be shifted");
    Source source{option.file, readTensor(TensorPlace::parse(option.file)), input};
    convertTensor(option.file, "input '" + input.name + "'", input.type, source.tensor);
    checkRows(option.file, source.tensor.info, input);
    source.tensor.info.batchAxis = input.batchAxis;
    int64_t count = source.tensor.info.shape[static_cast<size_t>(input.batchAxis)];
    if (!sources.empty() && count != rows)
      throw fileError(option.file, "found " + std::to_string(count) + " rows, expected " + std::to_string(rows) +
                                       " as in '" + sources[0].file + "'");
    rows = count;
    sources.push_back(std::move(source));
  }
  trainRows = rows - static_cast<int64_t>(static_cast<double>(rows) * holdout);
}

void TensorRows::checkTraining() const {
  if (!sources.empty() && trainRows < 1)
    throw fileError(sources[0].file, "found no rows to train on, expected at least 1");
}

void TensorRows::checkHeldOut() const {
  if (!sources.empty() && numHeldOutBatches() < 1)
    throw fileError(sources[0].file, "found " + std::to_string(rows - trainRows) +
                                         " held-out rows, expected at least " + std::to_string(batch) + " for a batch")
        .note("a larger --holdout gives more; --holdout 0 trains without a held-out part");
}

const std::vector<int64_t> &TensorRows::orderOf(uint64_t seed, int64_t epoch) const {
  static const uint64_t stream = hashBytes("rows");
  if (orderEpoch == epoch && orderSeed == seed)
    return order;
  orderEpoch = epoch;
  orderSeed = seed;
  order.resize(static_cast<size_t>(trainRows));
  std::iota(order.begin(), order.end(), 0);
  // Fisher and Yates, from the end; a 128-bit product maps the bits to 0 .. last.
  for (int64_t last = trainRows - 1; last > 0; --last) {
    uint64_t bits = randomBits(seed, stream + static_cast<uint64_t>(epoch), static_cast<uint64_t>(last));
    auto other = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * static_cast<uint64_t>(last + 1)) >> 64);
    std::swap(order[static_cast<size_t>(last)], order[other]);
  }
  return order;
}

std::vector<Bytes> TensorRows::readBatch(const std::vector<int64_t> &chosen) const {
  std::vector<Bytes> tensors;
  for (const Source &source : sources) {
    Bytes &tensor = tensors.emplace_back(source.input.numBytes());
    Bytes row(source.input.numBytes() / static_cast<size_t>(batch));
    for (size_t i = 0; i < chosen.size(); ++i) {
      takeSamples(source.tensor.info, source.tensor.data.data(), chosen[i], 1, row.data());
      putSamples(source.input, tensor.data(), static_cast<int64_t>(i), 1, row.data());
    }
  }
  return tensors;
}

std::vector<Bytes> TensorRows::trainBatch(uint64_t seed, int64_t step) const {
  std::vector<int64_t> chosen;
  for (int64_t sample = (step - 1) * batch; sample < step * batch; ++sample)
    chosen.push_back(orderOf(seed, sample / trainRows)[static_cast<size_t>(sample % trainRows)]);
  return readBatch(chosen);
}

std::vector<Bytes> TensorRows::heldOutBatch(int64_t index) const {
  std::vector<int64_t> chosen(static_cast<size_t>(batch));
  std::iota(chosen.begin(), chosen.end(), trainRows + index * batch);
  return readBatch(chosen);
}

} // namespace plc::runtime

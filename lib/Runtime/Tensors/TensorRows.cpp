// Batches of rows, an epoch in a random order.
#include "TensorRows.h"

#include "plc/Runtime/Tensors/InitialValues.h"

#include <numeric>

namespace plc::runtime {

TensorRows::TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout)
    : batch(entry.batch), epochs(hashBytes("rows")) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    if (option.shift)
      throw usageError("rows of a tensor file ('" + option.file + "') cannot be shifted");
    Source source{input, {}};
    int64_t count = 0;
    for (const std::string &file : option.files())
      count += source.files.emplace_back(StoredElements::open(file), input).count();
    if (!sources.empty() && count != rows)
      throw fileError(option.file, "found " + std::to_string(count) + " rows, expected " + std::to_string(rows) +
                                       " as in '" + name + "'");
    if (sources.empty())
      name = option.file;
    rows = count;
    sources.push_back(std::move(source));
  }
  trainRows = numTrainedOn(rows, holdout);
}

void TensorRows::checkTraining() const {
  if (!sources.empty() && trainRows < 1)
    throw fileError(name, "found no rows to train on, expected at least 1");
}

void TensorRows::checkHeldOut() const {
  if (!sources.empty() && numHeldOutBatches() < 1)
    throw fileError(name, "found " + std::to_string(rows - trainRows) + " held-out rows, expected at least " +
                              std::to_string(batch) + " for a batch")
        .note("a larger --holdout gives more; --holdout 0 trains without a held-out part");
}

std::pair<const RowFile &, int64_t> TensorRows::Source::find(int64_t row) const {
  auto file = files.begin();
  for (; row >= file->count(); ++file)
    row -= file->count();
  return {*file, row};
}

std::vector<Bytes> TensorRows::readBatch(const std::vector<int64_t> &chosen) const {
  std::vector<Bytes> tensors;
  for (const Source &source : sources) {
    Bytes &tensor = tensors.emplace_back(source.input.numBytes());
    Bytes sample(source.input.numBytes() / static_cast<size_t>(batch));
    for (size_t i = 0; i < chosen.size(); ++i) {
      auto [file, row] = source.find(chosen[i]);
      file.read(row, sample.data());
      putSamples(source.input, tensor.data(), static_cast<int64_t>(i), 1, sample.data());
    }
  }
  return tensors;
}

int64_t TensorRows::trainRow(uint64_t seed, int64_t step, int64_t sample) const {
  // Samples are numbered through all steps; each epoch is a run of trainRows of them.
  int64_t number = (step - 1) * batch + shift + sample;
  return epochs.at(number % trainRows, trainRows, seed, number / trainRows);
}

std::vector<Bytes> TensorRows::trainBatch(uint64_t seed, int64_t step) const {
  std::vector<int64_t> chosen;
  for (int64_t sample = 0; sample < batch; ++sample)
    chosen.push_back(trainRow(seed, step, sample));
  return readBatch(chosen);
}

std::string TensorRows::describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const {
  auto [file, row] = sources[input].find(trainRow(seed, step, sample));
  return "row " + std::to_string(row) + " of '" + file.name() + "'";
}

std::vector<Bytes> TensorRows::heldOutBatch(uint64_t /*seed*/, int64_t index) const {
  std::vector<int64_t> chosen(static_cast<size_t>(batch));
  std::iota(chosen.begin(), chosen.end(), trainRows + index * batch);
  return readBatch(chosen);
}

} // namespace plc::runtime

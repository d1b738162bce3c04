// Batches of rows, an epoch in a random order.
#include "TensorRows.h"

#include "plc/Runtime/Tensors/InitialValues.h"

namespace plc::runtime {

TensorRows::TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout)
    : SampledData(entry), epochs(hashBytes("rows")) {
  for (const TensorInfo &input : entry.inputs) {
    const DataOption &option = findOption(input, options);
    if (option.shift)
      throw usageError("rows of a tensor file ('" + option.file + "') cannot be shifted");
    Source source;
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
    throw noHeldOutBatch(name,
                         "found " + std::to_string(rows - trainRows) + " held-out rows, expected at least " +
                             std::to_string(batch) + " for a batch",
                         trainRows == 0);
}

std::pair<const RowFile &, int64_t> TensorRows::Source::find(int64_t row) const {
  auto file = files.begin();
  for (; row >= file->count(); ++file)
    row -= file->count();
  return {*file, row};
}

void TensorRows::putRow(int64_t row, int64_t at, std::vector<Bytes> &tensors) const {
  for (size_t input = 0; input < sources.size(); ++input) {
    Bytes sample(inputs[input].numBytes() / static_cast<size_t>(batch));
    auto [file, index] = sources[input].find(row);
    file.read(index, sample.data());
    putSamples(inputs[input], tensors[input].data(), at, 1, sample.data());
  }
}

/// Each epoch is a run of trainRows samples.
int64_t TensorRows::trainRow(uint64_t seed, int64_t number) const {
  return epochs.at(number % trainRows, trainRows, seed, number / trainRows);
}

void TensorRows::putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putRow(trainRow(seed, number), at, tensors);
}

void TensorRows::putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putRow(trainRows + number, at, tensors);
}

std::string TensorRows::describeSample(uint64_t seed, int64_t number, size_t input) const {
  auto [file, row] = sources[input].find(trainRow(seed, number));
  return "row " + std::to_string(row) + " of '" + file.name() + "'";
}

} // namespace plc::runtime

#include "Data.h"

#include "ByteWindows.h"
#include "TensorRows.h"

#include <algorithm>

namespace plc::runtime {

const DataOption &findOption(const TensorInfo &input, const std::vector<DataOption> &options) {
  for (const DataOption &option : options)
    if (option.input == input.name)
      return option;
  throw usageError("input '" + input.name + "' has no data: add --data " + input.name + "=FILE");
}

namespace {

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
  }
  for (const TensorInfo &input : entry.inputs) {
    findOption(input, options);
    if (!input.batched)
      throw usageError("--data for input '" + input.name + "' (" + input.typeText() +
                       "), which does not have the batch on axis 0, is not supported yet");
  }
}

} // namespace

std::unique_ptr<Data> openData(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout) {
  checkNames(entry, options);
  auto rows = std::count_if(options.begin(), options.end(),
                            [](const DataOption &option) { return TensorRows::areIn(option.file); });
  if (rows == 0)
    return std::make_unique<ByteWindows>(entry, options, holdout);
  if (rows != static_cast<long>(options.size()))
    throw usageError("--data from rows of tensor files beside windows of bytes is not supported yet");
  return std::make_unique<TensorRows>(entry, options, holdout);
}

} // namespace plc::runtime

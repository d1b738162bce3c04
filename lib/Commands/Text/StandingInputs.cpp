// Rows of inputs, by the number of a text.
#include "StandingInputs.h"

#include "GivenInputs.h"

#include <algorithm>

namespace plc::runtime {

StandingInputs::StandingInputs(const Options &options, const EntryInfo &entry) {
  for (const TensorInfo &input : entry.inputs)
    for (const TensorOption &option : options.inputs) {
      if (option.name != input.name)
        continue;
      Given &each = given.emplace_back();
      each.from = option.location.text();
      each.tensor = input.batched() ? readRowsLike(option, input) : readTensorLike(option, input, "input");
      each.tensor.info.name = input.name;
      if (input.batched())
        rows = std::max(rows, each.count());
    }
}

void StandingInputs::checkRows(int64_t texts) const {
  for (const Given &each : given)
    if (int64_t count = each.count(); count != 1 && count != texts)
      throw fileError(each.from, "found " + std::to_string(count) + " rows for input '" + each.tensor.info.name +
                                     "', expected " + (texts == 1 ? "" : "1 or ") + std::to_string(texts) +
                                     ", one for each text");
}

const StandingInputs::Given *StandingInputs::find(const std::string &name) const {
  for (const Given &each : given)
    if (each.tensor.info.name == name)
      return &each;
  return nullptr;
}

Bytes StandingInputs::batchOf(const TensorInfo &input, int64_t firstText) const {
  const Given &from = *find(input.name);
  if (!input.batched())
    return from.tensor.data;
  int64_t batch = input.shape[static_cast<size_t>(input.batchAxis)], last = from.count() - 1;
  Bytes whole(input.numBytes()), sample(input.numBytes() / static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch; ++i) {
    takeSamples(from.tensor.info, from.tensor.data.data(), std::min(firstText + i, last), 1, sample.data());
    putSamples(input, whole.data(), i, 1, sample.data());
  }
  return whole;
}

} // namespace plc::runtime

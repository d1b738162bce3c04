// Data whose samples are numbered.
#ifndef PLC_LIB_RUNTIME_TENSORS_SAMPLEDDATA_H
#define PLC_LIB_RUNTIME_TENSORS_SAMPLEDDATA_H

#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// Each sample is a function of its number. Those of training count through all steps, held-out ones from 0 on.
class SampledData : public Data {
public:
  explicit SampledData(const EntryInfo &entry) : Data(entry.batch), inputs(entry.inputs) {}

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override {
    return batchOf(
        [&](int64_t at, std::vector<Bytes> &tensors) { putTrainSample(seed, firstNumber(step) + at, at, tensors); });
  }
  std::vector<Bytes> heldOutBatch(uint64_t /*seed*/, int64_t index) const override {
    return batchOf([&](int64_t at, std::vector<Bytes> &tensors) { putHeldOutSample(index * batch + at, at, tensors); });
  }
  std::string describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const override {
    return describeSample(seed, firstNumber(step) + sample, input);
  }

  /// Writes a sample to index `at` of the batch: one tensor for each input of the entry.
  virtual void putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const = 0;
  virtual void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const = 0;
  /// Where one input of a training sample comes from.
  virtual std::string describeSample(uint64_t seed, int64_t number, size_t input) const = 0;

protected:
  std::vector<TensorInfo> inputs;

  /// The error if not one batch is held out. `isAll`: so is all of the data.
  static Error noHeldOutBatch(const std::string &file, const std::string &text, bool isAll) {
    Error error = fileError(file, text);
    return isAll ? error : error.note("a larger --holdout gives more; --holdout 0 trains without a held-out part");
  }

private:
  int64_t firstNumber(int64_t step) const { return (step - 1) * batch + shift; }

  template <class Put>
  std::vector<Bytes> batchOf(Put put) const {
    std::vector<Bytes> tensors;
    for (const TensorInfo &input : inputs)
      tensors.emplace_back(input.numBytes());
    for (int64_t at = 0; at < batch; ++at)
      put(at, tensors);
    return tensors;
  }
};

} // namespace plc::runtime

#endif

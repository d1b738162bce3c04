// Keys of draws: inputs that follow from a seed.
#ifndef PLC_RUNTIME_TENSORS_RANDOMKEYS_H
#define PLC_RUNTIME_TENSORS_RANDOMKEYS_H

#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// The step of draws outside of training; training begins at 1.
constexpr int64_t noStep = 0;

/// Keys for an input of `InputSource::Random`, of samples from `firstSample` on. Each is a function of seed, name,
/// step and the number of the sample.
Bytes randomKeys(const TensorInfo &input, uint64_t seed, int64_t step, int64_t firstSample = 0);

/// Samples count within the batch of a training step, or within the held-out data.
class RandomKeys : public Data {
public:
  explicit RandomKeys(const EntryInfo &entry) : Data(entry.batch), inputs(entry.inputs) {}

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  int64_t numHeldOut() const override { return anySamples; }
  std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const override;
  void checkTraining() const override {}
  void checkHeldOut() const override {}

private:
  std::vector<TensorInfo> inputs;
};

} // namespace plc::runtime

#endif

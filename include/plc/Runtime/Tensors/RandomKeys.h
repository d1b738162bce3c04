// Keys of what a program draws: inputs that a seed gives.
#ifndef PLC_RUNTIME_TENSORS_RANDOMKEYS_H
#define PLC_RUNTIME_TENSORS_RANDOMKEYS_H

#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// The step of draws outside of training.
constexpr int64_t noStep = 0;

/// Keys for an input that isRandomInput names, of samples from `firstSample` on: each is a function of seed, name, step and the
/// sample's number.
Bytes randomKeys(const TensorInfo &input, uint64_t seed, int64_t step, int64_t firstSample = 0);

/// Samples have their numbers in the batch of a training step, or in the held-out part.
class RandomKeys : public Data {
public:
  explicit RandomKeys(const EntryInfo &entry) : inputs(entry.inputs), batch(entry.batch) {}

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  int64_t numHeldOutBatches() const override { return INT64_MAX; }
  std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const override;
  void checkTraining() const override {}
  void checkHeldOut() const override {}

private:
  std::vector<TensorInfo> inputs;
  int64_t batch;
};

} // namespace plc::runtime

#endif

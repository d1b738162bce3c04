// Keys of what a training program draws: inputs that the seed and the step give.
#ifndef PLC_RUNTIME_RANDOMKEYS_H
#define PLC_RUNTIME_RANDOMKEYS_H

#include "Data.h"

namespace plc::runtime {

/// The keys of a step for an input that isRandomInput names: a function of seed, name, step and the sample's number in the
/// batch.
Bytes randomKeys(const TensorInfo &input, uint64_t seed, int64_t step);

class RandomKeys : public Data {
public:
  explicit RandomKeys(const EntryInfo &entry) : inputs(entry.inputs) {}

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  int64_t numHeldOutBatches() const override { return INT64_MAX; }
  /// No evaluation draws: the keys of a step that no training has.
  std::vector<Bytes> heldOutBatch(int64_t) const override { return trainBatch(0, 0); }
  void checkTraining() const override {}
  void checkHeldOut() const override {}

private:
  std::vector<TensorInfo> inputs;
};

} // namespace plc::runtime

#endif

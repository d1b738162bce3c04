// Inputs without a batch axis: one tensor for all samples.
#ifndef PLC_LIB_RUNTIME_TENSORS_WHOLETENSORS_H
#define PLC_LIB_RUNTIME_TENSORS_WHOLETENSORS_H

#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// The same tensors in every batch. They do not limit the number of held-out batches.
class WholeTensors : public Data {
public:
  WholeTensors(const EntryInfo &entry, const std::vector<DataOption> &options);

  std::vector<Bytes> trainBatch(uint64_t, int64_t) const override { return tensors; }
  int64_t numHeldOut() const override { return anySamples; }
  std::vector<Bytes> heldOutBatch(uint64_t, int64_t) const override { return tensors; }
  void checkTraining() const override {}
  void checkHeldOut() const override {}

private:
  std::vector<Bytes> tensors; // in the order of the entry's inputs
};

} // namespace plc::runtime

#endif

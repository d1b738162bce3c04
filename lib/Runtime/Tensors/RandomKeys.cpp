// Keys of draws, by seed, name, step and sample.
#include "plc/Runtime/Tensors/RandomKeys.h"

#include "plc/Runtime/Tensors/InitialValues.h"

#include <cstring>

namespace plc::runtime {

Bytes randomKeys(const TensorInfo &input, uint64_t seed, int64_t step, int64_t firstSample) {
  // One hash per step, then one per sample: keys of different steps are unrelated.
  uint64_t stream = hashBytes(input.name), ofStep = randomBits(seed, stream, static_cast<uint64_t>(step));
  Bytes bytes(input.numBytes());
  for (int64_t i = 0; i < input.numElements(); ++i) {
    uint64_t key = randomBits(ofStep, stream, static_cast<uint64_t>(firstSample + i));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(key), &key, sizeof(key));
  }
  return bytes;
}

std::vector<Bytes> RandomKeys::trainBatch(uint64_t seed, int64_t step) const {
  std::vector<Bytes> keys;
  for (const TensorInfo &input : inputs)
    keys.push_back(randomKeys(input, seed, step));
  return keys;
}

std::vector<Bytes> RandomKeys::heldOutBatch(uint64_t seed, int64_t index) const {
  std::vector<Bytes> keys;
  for (const TensorInfo &input : inputs)
    keys.push_back(randomKeys(input, seed, noStep, input.batched() ? index * batch : 0));
  return keys;
}

} // namespace plc::runtime

// The order in which an epoch takes each of `count` items once.
#ifndef PLC_LIB_RUNTIME_TENSORS_EPOCHORDER_H
#define PLC_LIB_RUNTIME_TENSORS_EPOCHORDER_H

#include <cstdint>
#include <vector>

namespace plc::runtime {

/// A random permutation for each epoch: a function of count, stream, seed and epoch. Caches the last one, which makes
/// at() cheap within an epoch.
class EpochOrder {
public:
  explicit EpochOrder(uint64_t stream) : stream(stream) {}

  /// The item at position `index`.
  int64_t at(int64_t index, int64_t count, uint64_t seed, int64_t epoch) const;

private:
  uint64_t stream;
  mutable std::vector<int64_t> order;
  mutable uint64_t orderSeed = 0;
  mutable int64_t orderEpoch = -1;
};

} // namespace plc::runtime

#endif

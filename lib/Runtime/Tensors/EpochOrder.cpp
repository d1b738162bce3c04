// Permutations by Fisher and Yates.
#include "EpochOrder.h"

#include "plc/Runtime/Tensors/InitialValues.h"

#include <numeric>
#include <utility>

namespace plc::runtime {

int64_t EpochOrder::at(int64_t index, int64_t count, uint64_t seed, int64_t epoch) const {
  if (orderEpoch != epoch || orderSeed != seed || order.size() != static_cast<size_t>(count)) {
    orderEpoch = epoch;
    orderSeed = seed;
    order.resize(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    // Fisher and Yates, from the end (Durstenfeld, 1964; Knuth, TAOCP 2, algorithm 3.4.2 P).
    for (int64_t last = count - 1; last > 0; --last) {
      auto other = randomBelow(last + 1, seed, stream + static_cast<uint64_t>(epoch), static_cast<uint64_t>(last));
      std::swap(order[static_cast<size_t>(last)], order[static_cast<size_t>(other)]);
    }
  }
  return order[static_cast<size_t>(index)];
}

} // namespace plc::runtime

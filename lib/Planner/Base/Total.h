//===- Total.h - guards against overflow ------------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_BASE_TOTAL_H
#define PLC_LIB_PLANNER_BASE_TOTAL_H

#include "plc/Planner/Base/Status.h"

#include <cstdint>

namespace plc::planner {

/// The sum of all numbers that an algorithm could add up. If it is at most 2^62, no sum of an answer, a bound or a gap
/// overflows.
class Total {
public:
  static constexpr int64_t most = int64_t(1) << 62;

  void add(int64_t number, int64_t times = 1) {
    __int128 product = static_cast<__int128>(number) * times;
    sum = product > most - sum ? most + 1 : sum + static_cast<int64_t>(product);
  }

  /// The error if the sum is too large. `what` names the numbers, which must not be negative.
  Status check(const char *what) const {
    if (sum <= most)
      return std::nullopt;
    return std::string(what) + " add up to more than 2^62";
  }

private:
  int64_t sum = 0; // most + 1 if it is more
};

} // namespace plc::planner

#endif

//===- BudgetedRematToGo.h - what the exact search still pays -------*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONTOGO_H
#define PLC_TEST_PLANNER_RETENTIONTOGO_H

#include "BudgetedRematMasks.h"

namespace plc::planner {

/// The least time that is still added when call `next` has not run yet and `live` lives. The makers of all that is
/// missing for later calls, and of what these miss in turn, each run at least once. Beside them, while a later call
/// runs for the first time, what is read behind it lives in the bytes that it leaves, or is made again behind it: a
/// fractional knapsack (Dantzig, 1957) at each of the fullest calls, of which the largest counts.
class BudgetedRematToGo {
public:
  explicit BudgetedRematToGo(const BudgetedRematMasks &masks);

  static constexpr int64_t never = int64_t(1) << 60;

  int64_t ns(int64_t next, Live live) const;

private:
  struct Item {
    Live bit;
    int64_t bytes, ns;
  };
  struct Moment {
    int64_t call, free;      ///< bytes for `waiting`
    Live waiting;            ///< made before the call, read behind it
    std::vector<Item> items; ///< of them, the least time for a byte first
  };

  void addMoment(int64_t call);
  int64_t knapsack(const Moment &moment, Live waiting) const;

  const BudgetedRematMasks &masks;
  std::vector<Moment> moments;
};

} // namespace plc::planner

#endif

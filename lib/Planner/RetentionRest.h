//===- RetentionRest.h - what a state of a window still pays ----*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONREST_H
#define PLC_LIB_PLANNER_RETENTIONREST_H

#include "RetentionScope.h"

namespace plc::planner {

/// The least time that is still added when call `next` of a window has not run yet and `live` lives. The makers of all that
/// is missing for later calls, and of what these miss in turn, each run at least once. Beside them, while a later call runs
/// for the first time, what is read behind it lives in the bytes that it leaves, or is made again behind it: a fractional
/// knapsack (Dantzig, 1957) at each of the fullest calls, of which the largest counts. Where prices of the whole problem are
/// known, what they say if that is more.
class RetentionRest {
public:
  RetentionRest(const RetentionScope &scope, const RetentionToGo *toGo);

  static constexpr int64_t never = int64_t(1) << 60;

  int64_t ns(int64_t next, Live live) const;
  /// What prices alone say, sooner.
  int64_t pricedNs(int64_t next, Live live) const;

  /// What prices say that it costs, in ticks, if a value does not live when a slot begins.
  int64_t lossOf(int64_t slot, int64_t bit) const {
    return slots[slot].required >> bit & 1 ? never : slots[slot].gains[bit];
  }

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

  // What prices say that a slot and all behind it cost if nothing lives, less what each value that does gains.
  struct Slot {
    int64_t ticks = 0;
    Live required = 0; ///< cannot be made again
    std::vector<int64_t> gains;
  };

  void addMoment(int64_t call);
  void addSlot(int64_t slot, const RetentionToGo &toGo);
  int64_t knapsack(const Moment &moment, Live waiting) const;

  const RetentionScope &scope;
  std::vector<Live> made; // before each call
  std::vector<Moment> moments;
  std::vector<Slot> slots; // if prices are known
  int64_t unit = 1;        // of their ticks
};

} // namespace plc::planner

#endif

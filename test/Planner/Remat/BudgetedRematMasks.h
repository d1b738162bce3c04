//===- BudgetedRematMasks.h - sets of live values as bits -----------*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONMASKS_H
#define PLC_TEST_PLANNER_RETENTIONMASKS_H

#include "plc/Planner/Remat/BudgetedRemat.h"

namespace plc::planner {

/// A bit for each value that may come and go.
using Live = uint64_t;

/// A problem as the exact search sees it. A value that can be made only once and is read by such calls alone, a
/// gradient for example, lives as long as it is read whatever runs again: its lifetime is fixed, it has no bit, and
/// only its bytes count.
class BudgetedRematMasks {
public:
  explicit BudgetedRematMasks(const BudgetedRematProblem &problem);

  /// Whether there are more values than bits.
  bool isTooLarge() const { return values.size() > mostValues; }

  struct Call {
    Live args = 0, results = 0;
    int64_t freeOwn = 0, freeClone = 0; ///< bytes for values and scratch while it runs, or a clone before it
  };
  const BudgetedRematProblem &problem;
  std::vector<int64_t> values;     ///< by bit
  std::vector<int64_t> bytes;      ///< by bit
  std::vector<int64_t> maker;      ///< by bit: a call
  std::vector<Call> calls;         ///< as the problem's
  std::vector<int64_t> repeatable; ///< calls that may run again, ascending
  std::vector<Live> read, needed;  ///< by calls from each one on, and with all that this is made of
  std::vector<Live> made;          ///< before each call

  int64_t bytesOf(Live live) const {
    int64_t sum = 0;
    for (; live; live &= live - 1)
      sum += bytes[__builtin_ctzll(live)];
    return sum;
  }
  /// Bytes that results save by taking the places of those of the operands that a run lets go.
  int64_t savedBytes(int64_t call, Live gone) const;

private:
  static constexpr size_t mostValues = 62;

  void numberValues();
  void setMasks();
  void setFree();
  Live maskOf(const std::vector<int64_t> &list) const;

  std::vector<bool> isFixed;    // by value of the problem
  std::vector<int64_t> numbers; // and bits, or -1
};

} // namespace plc::planner

#endif

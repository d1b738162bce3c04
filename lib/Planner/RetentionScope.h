//===- RetentionScope.h - what a search over a window looks at --*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONSCOPE_H
#define PLC_LIB_PLANNER_RETENTIONSCOPE_H

#include "RetentionWindow.h"

namespace plc::planner {

/// A bit for each value that may come and go.
using Live = uint64_t;

/// The values that a window may make, keep and let go, and what each call of it needs beside them. Fixed values take no bit.
class RetentionScope {
public:
  RetentionScope(const RetentionGround &ground, const Retention &answer, RetentionWindow window);

  /// Whether the window touches more values than there are bits.
  bool isTooLarge() const { return values.size() > room; }

  struct Local {
    Live args = 0, results = 0;
    bool mayRepeat = false;
  };
  const RetentionGround &ground;
  const RetentionProblem &problem;
  const RetentionWindow window;
  const std::vector<int64_t> &maker; ///< of the problem's values
  std::vector<int64_t> values;       ///< that have a bit
  std::vector<int64_t> bytes;        ///< of these
  std::vector<Local> calls;          ///< up to the window's end; before it, of those that make what has a bit
  std::vector<int64_t> repeatable;   ///< those that may run again, ascending
  Live atBegin = 0, atEnd = 0;       ///< what lives there
  std::vector<Live> read, needed;    ///< by calls from each one on, and with all that this is made of
  std::vector<int64_t> freeOwn,
      freeClone; ///< bytes for values and scratch while a call of the window runs, or a clone before it

  int64_t bytesOf(Live live) const {
    int64_t sum = 0;
    for (; live; live &= live - 1)
      sum += bytes[__builtin_ctzll(live)];
    return sum;
  }
  /// Bytes that results save by taking the places of those of the operands that a run lets go.
  int64_t savedBytes(int64_t call, Live gone) const;
  Live madeBefore(int64_t call) const;
  const Live &readFrom(int64_t call) const { return read[call - window.begin]; }
  const Live &neededFrom(int64_t call) const { return needed[call - window.begin]; }

  static constexpr size_t room = 62; ///< bits

private:
  void findTouched(const Retention &answer);
  void grow();
  void setCall(int64_t index);
  void setCalls();
  void setFree(const Retention &answer);
  void look(int64_t value);
  bool maskOf(const std::vector<int64_t> &list, Live &mask) const;

  std::vector<int64_t> numbers;     // bits, or -1
  std::vector<int64_t> first, last; // values that live where the window begins, and that are read behind it
};

} // namespace plc::planner

#endif

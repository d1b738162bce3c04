//===- ScheduleEffort.h - how long orders are searched ----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULEEFFORT_H
#define PLC_LIB_PLANNER_SCHEDULEEFFORT_H

#include <cstdint>

namespace plc::planner {

/// How long orders and their bounds are searched: in work that is counted, so that equal problems get equal answers on any
/// machine.
struct ScheduleEffort {
  /// Jobs from which on a problem is large: fewer rules are tried, and none once an order is above the bound by no more than
  /// this part of it.
  static constexpr int64_t large = 10'000, largeGap = 128, largeRules = 4;
  /// Jobs up to which an optimum is searched, and those that its nodes look at.
  static constexpr int64_t exactJobs = 100, exactLooks = 4'000'000;
  /// Jobs up to which the bound sees windows of all ranks together; beyond, that would take longer than the order.
  static constexpr int64_t windowJobs = 4096;
  /// Jobs times chains up to which heads count what comes before; beyond, they are longest paths alone.
  static constexpr int64_t headCounts = 2'000'000;
};

} // namespace plc::planner

#endif

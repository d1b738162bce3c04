//===- KnownOrders.h - orders that were found before ------------*- C++ -*-===//
#ifndef PLC_PLANNER_KNOWNORDERS_H
#define PLC_PLANNER_KNOWNORDERS_H

#include "plc/Planner/Schedules.h"

#include <map>

namespace plc::planner {

/// Orders each of several problems once, and bounds it once, however often it is asked for.
class KnownOrders {
public:
  /// As `planner::solve`.
  Fault solve(ScheduleKind kind, const ScheduleProblem &problem, Schedule &schedule);
  /// As `ScheduleProblem::bound`.
  int64_t bound(const ScheduleProblem &problem);

private:
  using Key = std::vector<int64_t>; ///< all of a problem
  struct Known {
    Schedule schedule;
    Fault fault;
  };
  static Key describe(const ScheduleProblem &problem);

  std::map<std::pair<ScheduleKind, Key>, Known> orders;
  std::map<Key, int64_t> bounds;
};

} // namespace plc::planner

#endif

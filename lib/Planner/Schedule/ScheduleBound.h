//===- ScheduleBound.h - what any schedule must wait for --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_SCHEDULEBOUND_H
#define PLC_LIB_PLANNER_SCHEDULE_SCHEDULEBOUND_H

#include "Jobs.h"
#include "RowLists.h"

namespace plc::planner {

/// What precedes what under any schedule, and the least time before and after each job that follows from it.
struct ForcedOrder {
  explicit ForcedOrder(const Jobs &jobs);

  struct Edge {
    int64_t job, lag;
  };
  Rows<Edge> into;                 ///< by job
  std::vector<int64_t> order;      ///< of jobs, that respects the edges
  std::vector<int64_t> head, tail; ///< by job

  /// By job, the other ends of the edges.
  Rows<Edge> outOf() const;
};

/// A time that no schedule goes below, at least `bound`, which is one: the largest found, to a thousandth, for which it
/// can be refuted that all jobs end sooner. Each job has a window, from its head to that horizon less its tail; what
/// precedes what, and ranks that run one job at a time, make windows smaller until a job has none.
/// O(tests passes jobs log jobs). Sources: Carlier & Pinson, "An algorithm for solving the job-shop problem", 1989 (refuted horizons); Vilim, "Global Constraints in Scheduling", 2007 (edge finding, detectable precedences).
int64_t boundByWindows(const Jobs &jobs, const ForcedOrder &forced, int64_t bound);

} // namespace plc::planner

#endif

//===- ScheduleBound.h - lower bounds of any schedule -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_SCHEDULEBOUND_H
#define PLC_LIB_PLANNER_SCHEDULE_SCHEDULEBOUND_H

#include "Jobs.h"
#include "RowLists.h"

namespace plc::planner {

/// The precedences that hold under every schedule: index order and dependences. And the least time before (head) and
/// after (tail) each job that follows from them.
struct ForcedOrder {
  explicit ForcedOrder(const Jobs &jobs);

  struct Edge {
    int64_t job, lag;
  };
  Rows<Edge> into;                 ///< by job
  std::vector<int64_t> order;      ///< jobs in an order that respects the edges
  std::vector<int64_t> head, tail; ///< by job, in ns

  /// The reversed edges, by job.
  Rows<Edge> outOf() const;
};

/// A lower bound of the makespan, not below `bound`, which is one.
///
/// Finds, to a thousandth, the largest horizon that is refuted: no schedule ends earlier. Each job has a window, from
/// its head to the horizon less its tail. Precedences, and ranks that run one job at a time, shrink windows until a job
/// has none. O(tests passes jobs log jobs). Sources: Carlier & Pinson, "An algorithm for solving the job-shop problem",
/// 1989 (refuted horizons); Vilim, "Global Constraints in Scheduling", 2007 (edge finding, detectable precedences).
int64_t boundByWindows(const Jobs &jobs, const ForcedOrder &forced, int64_t bound);

} // namespace plc::planner

#endif

//===- Search.h - schedules by rule and by exhaustion ---------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SEARCH_H
#define PLC_LIB_PLANNER_SEARCH_H

#include "ScheduleBound.h"

namespace plc::planner {

/// An order of all jobs and the time that it takes.
struct TimedOrders {
  JobOrders orders;
  int64_t makespan = 0;
};

/// Runs, whenever a rank is free, the job of least `priority` (by job) among those that can start now, or within
/// `patience` hundredths of the time until one of them could have ended. Stays within memory. Empty if it is stuck.
/// O(jobs (chains of a rank + micro-batches in flight)). Source: Giffler & Thompson, 1960 (patience 100: active
/// schedules).
TimedOrders scheduleByList(const Jobs &jobs, const std::vector<int64_t> &priority, int64_t patience);

/// Branch and bound: an optimal order that is faster than `best`, if there is one. True if it looked everywhere, with at
/// most `nodes` nodes. Source: Brucker, Jurisch & Sievers, "A branch and bound algorithm for the job-shop scheduling
/// problem", 1994 (the bound); Gromicho et al., "Solving the job-shop scheduling problem optimally by dynamic programming",
/// 2012 (what dominates).
bool solveExactly(const Jobs &jobs, const ForcedOrder &forced, int64_t nodes, TimedOrders &best);

} // namespace plc::planner

#endif

//===- Search.h - schedules by rule, by search, by exhaustion ---*- C++ -*-===//
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

/// Improves an order that is within memory: moves jobs of the longest path to other places of their rank, takes what is
/// at most `threshold` slower, which falls to nothing; keeps the best. Stops at `bound`. The numbers are fixed, so equal
/// problems get equal answers on any machine. O(steps jobs). Heuristic: no promise. Sources: van Laarhoven et al., "Job
/// Shop Scheduling by Simulated Annealing", 1992 (moves on the longest path); Dueck & Scheuer, "Threshold Accepting",
/// 1990.
void improve(const Jobs &jobs, int64_t bound, int64_t steps, TimedOrders &best);

/// The best order found that repeats a turn of `ofFew`, an order of the same problem with fewer micro-batches, all of equal
/// size: a turn is some micro-batches in a row, whose jobs come again so much later as the next turn does. A list schedule
/// goes by these times, so it stays within memory. Empty if none ends. O(turns list schedules). Heuristic. Source:
/// periodic orders of software pipelining (Rau, "Iterative modulo scheduling", 1994), with a turn of any length.
TimedOrders repeatTurns(const Jobs &jobs, const Jobs &few, const TimedOrders &ofFew);

/// The best list schedule found whose priorities are keys of chains: each chain's micro-batches come later than their number
/// says by as much as its key, which is searched (threshold accepting), and so is the patience. Moves change an order here
/// and there; a key changes all turns, and the ends with them. Empty if none ends. O(steps list schedules). Heuristic.
/// Source: Bean, "Genetic algorithms and random keys for sequencing and optimization", 1994 (orders decoded from keys).
TimedOrders searchKeys(const Jobs &jobs, int64_t steps);

/// Branch and bound: an optimal order that is faster than `best`, if there is one. True if it looked everywhere, with at
/// most `nodes` nodes. Source: Brucker, Jurisch & Sievers, "A branch and bound algorithm for the job-shop scheduling
/// problem", 1994 (the bound); Gromicho et al., "Solving the job-shop scheduling problem optimally by dynamic programming",
/// 2012 (what dominates).
bool solveExactly(const Jobs &jobs, const ForcedOrder &forced, int64_t nodes, TimedOrders &best);

} // namespace plc::planner

#endif

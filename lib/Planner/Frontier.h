//===- Frontier.h - a schedule as far as it is built ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_FRONTIER_H
#define PLC_LIB_PLANNER_FRONTIER_H

#include "Jobs.h"

#include <optional>

namespace plc::planner {

/// What has run of a problem: of each chain its first jobs, each as early as its rank and what it depends on allow.
class Frontier {
public:
  explicit Frontier(const Jobs &jobs);

  /// Number of a chain's jobs that have run.
  int64_t next(int64_t chain) const { return done[chain]; }
  int64_t clock(int64_t rank) const { return clocks[rank]; }
  int64_t endOf(int64_t job) const { return ends[job]; }
  bool isDone() const { return left == 0; }

  /// When what the next job of a chain depends on is there; nothing if there is no such job, or some of it has not run.
  std::optional<int64_t> arrival(int64_t chain) const;
  /// When the next job can start: also behind what its rank runs.
  std::optional<int64_t> earliest(int64_t chain) const;
  /// Whether the next job of a chain fits the memory of its rank now.
  bool fits(int64_t chain) const;
  /// Whether after the next job of a chain every micro-batch on its rank can still end, the oldest first, with the
  /// memory that those before it give back (the banker's rule; Dijkstra, 1965).
  bool isSafe(int64_t chain) const;

  void run(int64_t chain, int64_t start);
  /// Takes back the last job of a chain, which must be the last of its rank; `clock` is the rank's time before it.
  void undo(int64_t chain, int64_t clock);

private:
  int64_t inFlight(int64_t stage) const;

  const Jobs &jobs;
  std::vector<int64_t> done;                  // by chain
  std::vector<int64_t> ends;                  // by job
  std::vector<int64_t> clocks, held;          // by rank
  std::vector<std::vector<int64_t>> stagesOn; // by rank
  std::vector<int64_t> mostExtra;             // by rank: what B may take beside what F holds
  int64_t left = 0;
};

} // namespace plc::planner

#endif

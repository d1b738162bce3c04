//===- Search.h - the plan of a program -------------------------*- C++ -*-===//
#ifndef PLC_SEARCH_SEARCH_H
#define PLC_SEARCH_SEARCH_H

#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Search/Evaluate.h"

#include <functional>
#include <optional>
#include <set>

namespace plc::search {

/// What a strategy leaves open. What is empty or 0 is free, within the others.
struct Limits {
  std::vector<int64_t> rankCounts{}; ///< ranks of a replica
  std::vector<int64_t> replicaCounts{1};
  int64_t stages = 0;                              ///< of the pipeline
  int64_t chunks = 0;                              ///< stages of each rank
  std::vector<int32_t> rankOf{};                   ///< of each stage
  std::vector<int32_t> stageOf{};                  ///< of each unit
  std::optional<planner::ScheduleKind> schedule{}; ///< the order of the tasks: one that follows shapes, or a file
  std::optional<planner::ScheduleFile> file{};     ///< of schedule `file`
  bool mayRecompute = true;                        ///< what the limits ask for
  std::vector<Recomputation> recompute{};          ///< by workload: what a policy recomputes; empty: nothing
  bool maySplit = true;                            ///< tasks may run between B and W

  /// Actions that are evaluated, at most; within limits of bytes twice as many. The same on all machines, so that these answer alike.
  int64_t effort = 40'000'000;
  double seconds = 60; ///< after which the best plan so far is the answer
  uint64_t seed = 1;
  std::set<std::string> without{}; ///< techniques that are switched off: starts and moves, by name
};

/// A plan that was found, with what it takes.
struct Found {
  PlanSpec plan;
  Evaluation result;
};

/// What a search has seen.
struct SearchReport {
  std::vector<Found> starts{};       ///< the best of each workload and rank map, fastest first; without orders
  std::vector<PlanSpec> finalists{}; ///< the best plan, and those that the search gave up last
  int64_t evaluations = 0;
  int64_t unlimitedNs = 0;        ///< the step of the plan that any bytes would allow, where it does not fit
  std::optional<Found> nearest{}; ///< where no plan fits: the one that lacks the fewest bytes
  bool isAborted = false;
};

/// Whether some workload has a plan within the limits, bytes apart.
bool hasStarts(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits);

/// The fastest plan that is found within the limits, or nothing, and then the report has the nearest one. Workloads are
/// one program, for several numbers of micro-batches or made in several ways. Starts are families of schedules on rank maps
/// with cuts by dynamic programming; a neighbourhood search with a falling temperature (Kirkpatrick et al., 1983) improves the
/// best of them. Bytes above the limits cost time, at a price that rises while a plan is over and falls while it is not.
/// First it searches as if there were no such limits, so that those that bind nothing change nothing. With `known` plans these are
/// the only starts. Deterministic, unless `seconds` end it.
std::optional<Found> search(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits,
                            SearchReport &report, const std::vector<PlanSpec> &known = {});

/// The stage of each unit on this rank map, so that the slowest rank of a replica is fast (Cuts.cpp).
std::vector<int32_t> cutUnits(const Workload &workload, const Machine &machine, const std::vector<int32_t> &rankOf,
                              int64_t replicas = 1);

/// No plan of any of the workloads on so many ranks is faster.
int64_t lowerBound(const std::vector<Workload> &workloads, const Machine &machine);

} // namespace plc::search

#endif

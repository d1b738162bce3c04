//===- Search.h - finds the plan of a program -------------------*- C++ -*-===//
#ifndef PLC_SEARCH_SEARCH_H
#define PLC_SEARCH_SEARCH_H

#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Search/Evaluate.h"

#include <functional>
#include <optional>
#include <set>

namespace plc::search {

/// What the strategy fixes, and how long to search. An empty list or 0 leaves a decision open.
struct Limits {
  std::vector<int64_t> rankCounts{}; ///< candidates: ranks of a replica
  std::vector<int64_t> replicaCounts{1};
  int64_t stages = 0;                              ///< of the pipeline
  int64_t chunks = 0;                              ///< stages of each rank
  std::vector<int32_t> rankOf{};                   ///< of each stage
  std::vector<int32_t> stageOf{};                  ///< of each unit
  std::optional<planner::ScheduleKind> schedule{}; ///< orders all tasks: a shape-driven family, or `file`
  std::optional<planner::ScheduleFile> file{};     ///< the table of schedule `file`
  bool mayRecompute = true;                        ///< the search may recompute where bytes are short
  std::vector<Recomputation> recompute{};          ///< by workload: fixed by a policy; empty: nothing
  bool maySplit = true;                            ///< other tasks may run between B and W

  /// The most actions to evaluate; under limits of bytes twice as many. Effort is counted in actions and not in
  /// seconds, so that all machines find the same plan. Not tuned: more improves plans of large models, less answers
  /// sooner.
  int64_t effort = 40'000'000;
  double seconds = 60; ///< the search returns its best plan after that; then machines may differ
  uint64_t seed = 1;
  std::set<std::string> without{}; ///< techniques to switch off, by name: starts and moves
};

/// A plan of the search with its evaluation.
struct Found {
  PlanSpec plan;
  Evaluation result;
};

/// What a search reports beside its answer.
struct SearchReport {
  std::vector<Found> starts{};       ///< best start of each workload and rank map, fastest first; without orders
  std::vector<PlanSpec> finalists{}; ///< the best plan, then the last ones to be eliminated
  int64_t evaluations = 0;
  int64_t unlimitedNs = 0;        ///< the step of the best plan without limits, if that plan does not fit
  std::optional<Found> nearest{}; ///< if no plan fits: the one with the fewest bytes above the limits
  bool isAborted = false;         ///< `seconds` ended the search
};

/// Whether some workload has a start that respects the limits; bytes are not checked.
bool hasStarts(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits);

/// Returns the fastest plan found within the limits, or nothing: then `report.nearest` has the plan that exceeds them
/// least. The workloads are one program, with several numbers of micro-batches or built in several ways.
///
/// Variables: the fields of `PlanSpec`. Objective: `Evaluation::stepNs`; among steps that differ by less than 0.25 %
/// the fewest bytes. Constraints: the limits, and the dependences of tasks.
///
/// Starts are families of schedules on rank maps, cut by dynamic programming. Simulated annealing (Kirkpatrick et al.,
/// 1983) improves the best of them. Bytes above the limits cost time, at a price that rises while a plan is above them
/// and falls while it is not. The search first ignores the limits of bytes, so that limits that do not bind change
/// nothing. With `known` plans, these are the only starts. Heuristic. Deterministic, unless `seconds` end it.
std::optional<Found> search(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits,
                            SearchReport &report, const std::vector<PlanSpec> &known = {});

/// The stage of each unit on this rank map, such that the slowest rank of a replica is fast (Cuts.cpp).
std::vector<int32_t> cutUnits(const Workload &workload, const Machine &machine, const std::vector<int32_t> &rankOf,
                              int64_t replicas = 1);

/// A lower bound of the step, in ns: no plan of any workload on the machine's ranks is faster.
int64_t lowerBound(const std::vector<Workload> &workloads, const Machine &machine);

} // namespace plc::search

#endif

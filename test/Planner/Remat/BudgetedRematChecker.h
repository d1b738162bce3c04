//===- BudgetedRematChecker.h - a second opinion on retention -------*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONCHECKER_H
#define PLC_TEST_PLANNER_RETENTIONCHECKER_H

#include "plc/Planner/Remat/BudgetedRemat.h"

#include <optional>
#include <string>

namespace plc::planner {

/// Plays an answer run by run in a memory of its own, and shares no code with what solves: nothing, or what is wrong.
/// Offsets are of each run's results in their order, the arena ends at `arenaBytes`; the bound may not exceed the time
/// that the clones take.
std::optional<std::string> checkBudgetedRemat(const BudgetedRematProblem &problem, const BudgetedRemat &answer,
                                              const std::vector<int64_t> &offsets, int64_t arenaBytes, int64_t bound);

/// The least time that clones add, by Dijkstra's algorithm over (next first run, live values); nothing if nothing fits.
std::optional<int64_t> leastAddedNs(const BudgetedRematProblem &problem);

} // namespace plc::planner

#endif

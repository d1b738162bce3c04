//===- BudgetedRematExact.h - the least recomputation of one rank ---*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONEXACT_H
#define PLC_TEST_PLANNER_RETENTIONEXACT_H

#include "plc/Planner/Remat/BudgetedRemat.h"

namespace plc::planner {

/// Minimises the added time: a shortest path over (calls that have run once, values that live), by A* (Hart, Nilsson,
/// Raphael, 1968) with what a state still pays at least. Stops without an answer (`found` is false) above `states` of
/// them or above 62 values that come and go; so it does with several micro-batches in flight, whose bytes no state
/// knows. Fails if no answer fits the budget. Source: the state space of Kumar et al., "Efficient Rematerialization for
/// Deep Networks", 2019, sec. 3. O(states x (calls + values)).
Status solveBudgetedRematExactly(const BudgetedRematProblem &problem, int64_t states, BudgetedRemat &answer,
                                 bool &found);

} // namespace plc::planner

#endif

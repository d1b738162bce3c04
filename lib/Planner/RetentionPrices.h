//===- RetentionPrices.h - what is kept where a byte has a price -*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONPRICES_H
#define PLC_LIB_PLANNER_RETENTIONPRICES_H

#include "RetentionState.h"

namespace plc::planner {

/// Answers near the budget, by the price of a byte in each slot: one price while its clones run, one while its own call does.
/// Under given prices every value is kept from read to read, or made again where that costs least, with what its operands cost
/// there; then prices rise where the budget is exceeded and fall elsewhere. Where neither values nor clones interact
/// that is the Lagrangian relaxation of the budget by subgradients (Held, Wolfe, Crowder, 1974), and values are lots of
/// Wagner & Whitin (1958); here it is a heuristic. In the second half of the rounds prices begin again and follow the mean
/// of what was exceeded lately (the volume algorithm of Barahona & Anbil, 2000, without its bound), which swings less.
///
/// What prices choose loses what still exceeds the budget greedily, and is polished if it fits; what the state holds is one
/// more. Of these come the ones that no other one beats in both time and excess: the best that fits first, if there is one,
/// then at most three of the nearest. Ends at `boundNs`. The state becomes any. Deterministic. O(rounds x values x slots).
std::vector<Retention> priceBytes(RetentionState &state, int64_t rounds, int64_t boundNs);

} // namespace plc::planner

#endif

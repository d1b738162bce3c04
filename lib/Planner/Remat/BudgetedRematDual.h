//===- BudgetedRematDual.h - the bound by prices --------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_REMAT_BUDGETEDREMATDUAL_H
#define PLC_LIB_PLANNER_REMAT_BUDGETEDREMATDUAL_H

#include "plc/Planner/Remat/BudgetedRemat.h"

namespace plc::planner {

/// A lower bound of recomputing time, in ns, by a Lagrangian relaxation of the whole problem.
///
/// Bytes have a price while each call runs for the first time. A slot is the gap before a call; in each slot each
/// operand of each clone has a price, too, which the clone pays to the operand. At fixed prices each value decides
/// alone: it is live from read to read, or is recomputed, and is live for the clones that pay most. That is lot sizing
/// (Wagner & Whitin, 1958) with reads that may be left out, a dynamic program over slots. The least costs of all
/// values, less the price of all available bytes, are a bound at any prices.
///
/// Prices rise where bytes or operands are short and fall elsewhere, along deflected subgradients with Polyak's steps
/// (Held, Wolfe, Crowder, 1974; Camerini, Fratta, Maffioli, 1975). They come near the best bound, that of the linear
/// relaxation over hulls of lots (Geoffrion, 1974). The bound sees that a value is recomputed for several calls, or
/// held between them. It does not see bytes while clones run. Of bytes that other micro-batches hold, only those at the
/// begin of B count. A call of several results counts as several calls that share its time.
///
/// Returns the best bound of so many rounds. `nearNs`, the expected answer, guides the length of steps and does not
/// limit it. O(rounds x operands x calls).
int64_t boundByPrices(const BudgetedRematProblem &problem, int64_t rounds, int64_t nearNs);

} // namespace plc::planner

#endif

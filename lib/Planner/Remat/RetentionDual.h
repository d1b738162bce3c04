//===- RetentionDual.h - what prices of bytes and operands prove -*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_REMAT_RETENTIONDUAL_H
#define PLC_LIB_PLANNER_REMAT_RETENTIONDUAL_H

#include "plc/Planner/Remat/Retention.h"

namespace plc::planner {

/// A Lagrangian relaxation of the whole problem: a byte has a price while each call runs for the first time, and so has, in
/// each slot, each operand of each clone, which whoever runs the clone pays to the operand. Each value is then alone: it lives
/// from read to read or is made again, and is there for the clones that pay most. That is lot sizing (Wagner & Whitin, 1958)
/// with reads that may be left out, a dynamic program over slots. The least costs of all values, less the price of the bytes that
/// there are, are a bound for any prices. These rise where bytes or operands lack and fall where they do not, along deflected
/// subgradients with Polyak's steps (Held, Wolfe, Crowder, 1974; Camerini, Fratta, Maffioli, 1975), which come near the best
/// bound, that of the linear relaxation over hulls of lots (Geoffrion, 1974). Sees that a value is made several times for
/// several calls, or held between them. Does not see bytes while clones run; a call of several results is as many that share its time;
/// of what other micro-batches hold, only what lives where B begins counts. O(rounds x operands x calls).
///
/// No answer adds less than what is returned, found in so many rounds; about `nearNs` is expected.
int64_t boundByPrices(const RetentionProblem &problem, int64_t rounds, int64_t nearNs);

} // namespace plc::planner

#endif

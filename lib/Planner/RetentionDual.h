//===- RetentionDual.h - what prices of bytes and operands prove -*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONDUAL_H
#define PLC_LIB_PLANNER_RETENTIONDUAL_H

#include "plc/Planner/Retention.h"

namespace plc::planner {

/// The least that is still added from the beginning of each slot on: slot s is call s with the clones that run before it. In
/// ticks, of which a nanosecond has `unit`.
struct RetentionToGo {
  static constexpr int64_t never = int64_t(1) << 60;

  int64_t unit = 1;
  std::vector<int64_t>
      others; ///< by slot: of the values that are made later, less the price of all bytes that there are
  std::vector<std::vector<int64_t>> alive; ///< by value and slot: of a value that lives there
  std::vector<std::vector<int64_t>> dead;  ///< and of one that does not; `never` if it cannot be made again in time

  /// Of the whole problem.
  int64_t boundNs() const { return others[0] <= 0 ? 0 : (others[0] + unit - 1) / unit; }
};

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
/// Nothing adds less than what is found in so many rounds, or up to `enoughNs`; `nearNs` is expected.
RetentionToGo priceRetention(const RetentionProblem &problem, int64_t rounds, int64_t nearNs, int64_t enoughNs);

/// `retentionBound`, with what prices say, which is within some of its rounds; null where nobody asks for that. With so small a
/// part, `haste`, of the rounds.
std::optional<int64_t> boundRetention(const RetentionProblem &problem, RetentionToGo *toGo,
                                      RetentionProblem::Peak *least = nullptr, int64_t haste = 1);

} // namespace plc::planner

#endif

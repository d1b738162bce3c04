//===- Remat.h - which values are kept, which are computed again -*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_H
#define PLC_PLANNER_REMAT_H

#include "plc/Planner/Fault.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// What is kept and what is computed again.
struct Remat {
  std::vector<bool> kept;   ///< per value: made forward, and there until backward
  std::vector<bool> cloned; ///< per forward call
};

/// Forward calls in order, the values that they read and make, and those that backward reads; one micro-batch.
///
/// A call with a segment is computed again where backward needs what it made. Recomputation of a segment starts from what
/// crosses into it: a value that a call outside its maker's segment reads is kept if it is needed at all, and so are
/// values of calls without a segment. Values without a maker (parameters, inputs, what is received) are always there.
class RematProblem {
public:
  struct Value {
    int64_t bytes = 0;
    int64_t maker = -1;  ///< forward call
    bool pinned = false; ///< stays for other reasons: an output
  };
  struct Call {
    int64_t layer = -1;   ///< that it belongs to; -1: none
    bool selected = true; ///< it may be computed again
    int64_t segment = -1; ///< that a policy puts it in (see `RematPolicies.h`); -1: what it makes is kept
    std::vector<int64_t> args{}, results{};
  };
  std::vector<Value> values;
  std::vector<Call> calls;
  std::vector<int64_t> reads; ///< values that backward reads

  /// Whether calls and values are in range, made once, and before they are read.
  Fault check() const;
  /// Whether everything that backward and clones read is kept, always there, or made by a clone, and no clone lacks a
  /// segment.
  Fault verify(const Remat &answer) const;
  int64_t numLayers() const;
  /// Bytes kept from forward to backward, outputs apart.
  int64_t keptBytes(const Remat &answer) const;
};

/// The least clones for given segments, and what they start from. Exact: the closure of what backward reads.
/// O(calls + values).
Remat recompute(const RematProblem &problem);

/// Layers with the bytes that it takes to keep each whole, and the bytes that there are: keep as many bytes as fit.
class SubsetSumProblem {
public:
  std::vector<int64_t> bytes; ///< per layer
  int64_t limit = 0;

  /// Sizes are not negative.
  Fault check() const;
  /// The kept layers fit.
  Fault verify(const std::vector<bool> &kept) const;
  /// No answer keeps more: the least of the limit and the sum.
  int64_t bound() const;
};

/// Maximises the kept bytes; among equals, the deepest layer in which two answers differ is kept. So the bytes never
/// fall as the limit grows. Exact: dynamic programming over the sums that the first layers can reach (subset sum).
/// O(layers x sums): few sums where layers share bodies, at most 2^layers. Fails above `mostSums` of them. Source: the
/// textbook dynamic program, e.g. Kellerer, Pferschy & Pisinger, "Knapsack Problems", 2004, ch. 4.
Fault solveSubsetSum(const SubsetSumProblem &problem, std::vector<bool> &kept);
inline constexpr size_t mostSums = size_t(1) << 20;

} // namespace plc::planner

#endif

//===- Remat.h - which values are kept, which are computed again -*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_REMAT_H
#define PLC_PLANNER_REMAT_REMAT_H

#include "plc/Planner/Base/Fault.h"
#include "plc/Planner/Schedule/Schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// What is kept and what is computed again.
struct Remat {
  std::vector<bool> kept;   ///< per value: made forward, and there until backward
  std::vector<bool> cloned; ///< per forward call
};

/// Forward calls in order, the values that they read and make, and the backward calls in order; one micro-batch. What is
/// recomputed costs time, what is kept costs bytes from forward until the last backward call that reads it.
///
/// A call with a segment is computed again where backward needs what it made. Recomputation of a segment starts from what
/// crosses into it: a value that a call outside its maker's segment reads is kept if it is needed at all, and so are
/// values of calls without a segment, and values that a policy names. Values without a maker (parameters, inputs) are
/// always there, and what another stage made is there once it has been received.
class RematProblem {
public:
  struct Value {
    int64_t bytes = 0;
    int64_t maker = -1;  ///< forward call
    bool pinned = false; ///< stays for other reasons: an output
    bool keep = false;   ///< chosen by a policy: kept if it is needed, whatever its maker's segment is
  };
  struct Call {
    int64_t layer = -1;   ///< that it belongs to; -1: none
    bool selected = true; ///< it may be computed again
    int64_t segment = -1; ///< that a policy puts it in (see `RematPolicies.h`); -1: what it makes is kept
    std::vector<int64_t> args{}, results{};
    int64_t ns = 0; ///< of one execution
    int64_t stage = 0;
  };
  /// A call of a task B, or of a task W, which may run much later than its B.
  struct BackwardCall {
    TaskKind kind = TaskKind::B;
    std::vector<int64_t> args{};
    int64_t stage = 0;
  };
  std::vector<Value> values;
  std::vector<Call> calls;
  std::vector<BackwardCall> backward;
  int64_t limitBytes = 0; ///< that may live at once in the backward pass (see `peakBytes`); 0: no limit

  static constexpr int64_t mostLayers = int64_t(1) << 16;
  /// Whether calls, layers and values are in range, values made once, and before they are read.
  Fault check() const;
  /// Whether everything that backward and clones read is kept, always there, or made by a clone, no clone lacks a
  /// segment, and the limit is kept.
  Fault verify(const Remat &answer) const;
  int64_t numLayers() const;
  /// Whether a value is there in a stage whatever is kept: nothing makes it, or another stage does.
  bool isGiven(int64_t value, int64_t stage) const {
    return values[value].maker < 0 || calls[values[value].maker].stage != stage;
  }
  /// Bytes kept from forward to backward, outputs apart.
  int64_t keptBytes(const Remat &answer) const;
  /// The most bytes of kept and recomputed values, outputs apart, that live at once if the backward calls run in their
  /// order, each clone just before the first of them that needs it. O(calls + values).
  int64_t peakBytes(const Remat &answer) const;
  /// Time of all clones: what an answer adds to a micro-batch.
  int64_t recomputeNs(const Remat &answer) const;

  /// No answer keeps less: what backward reads of calls that may not be computed again.
  int64_t boundKeptBytes() const;
  /// No answer that keeps at most so many bytes recomputes for less time. Of the values that backward reads itself, so
  /// many bytes cannot be kept, and each of those costs its maker's time, which frees what that maker makes: a knapsack,
  /// whose fractional relaxation (best ratio first; Dantzig, 1957) is rounded down. O(calls log calls).
  int64_t boundRecomputeNs(int64_t keptBytes) const;

private:
  std::vector<bool> readByBackward() const;
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
/// O(layers x sums): few sums where layers share bodies, at most 2^layers. Of more than `mostSums / layers` sums of some
/// layers those that are near to a larger one are left out: then the answer keeps less than the best one by at most
/// layers^2 / mostSums of the limit (0.2 % for 40 layers), and may keep a little less where the limit is larger. Source:
/// the textbook dynamic program and its approximation, e.g. Kellerer, Pferschy & Pisinger, "Knapsack Problems", 2004,
/// ch. 4.
Fault solveSubsetSum(const SubsetSumProblem &problem, std::vector<bool> &kept);
inline constexpr size_t mostSums = size_t(1) << 20;

} // namespace plc::planner

#endif

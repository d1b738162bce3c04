//===- Remat.h - which values are saved, which recomputed -------*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_REMAT_H
#define PLC_PLANNER_REMAT_REMAT_H

#include "plc/Planner/Base/Status.h"
#include "plc/Planner/Schedule/Schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// An answer of `RematProblem`: the saved values and the recomputed calls.
struct Remat {
  std::vector<bool> kept;   ///< by value: made forward, and live until the backward pass
  std::vector<bool> cloned; ///< by forward call: recomputed
};

/// Recomputation by segments, of one micro-batch. Input: forward calls in order, values that they read and make,
/// backward calls in order.
///
/// Variables: for each value whether it is saved, for each forward call whether it is recomputed. Objective: few saved
/// bytes and little recomputing time; segments decide the trade. Constraints: each read finds a value; `limitBytes`.
///
/// A call with a segment is recomputed if backward needs its results. Recomputation of a segment starts from the values
/// that cross into it. So a needed value is saved if a call outside its maker's segment reads it, if its maker has no
/// segment, or if a policy names it. Values without a maker (parameters, inputs) are always live. A value of another
/// stage is live once it is received.
class RematProblem {
public:
  struct Value {
    int64_t bytes = 0;
    int64_t maker = -1;  ///< its forward call; -1: none
    bool pinned = false; ///< live for another reason: an output
    bool keep = false;   ///< a policy saves it if it is needed, whatever its maker's segment
  };
  struct Call {
    int64_t layer = -1;   ///< its layer; -1: none
    bool selected = true; ///< it may be recomputed
    int64_t segment = -1; ///< set by a policy (`RematPolicies.h`); -1: its results are saved
    std::vector<int64_t> args{}, results{};
    int64_t ns = 0; ///< of one run
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
  int64_t limitBytes = 0; ///< of `peakBytes`; 0: no limit

  /// More layers are refused as nonsense. Not tuned.
  static constexpr int64_t mostLayers = int64_t(1) << 16;
  /// Says what is wrong with the problem: calls, layers and values are in range, each value is made once and before any
  /// read.
  Status check() const;
  /// Says what is wrong with an answer: backward calls and clones find all that they read, each clone has a segment,
  /// and the limit holds.
  Status verify(const Remat &answer) const;
  int64_t numLayers() const;
  /// Whether a value is live in a stage whatever the answer saves: no call makes it, or another stage does.
  bool isGiven(int64_t value, int64_t stage) const {
    return values[value].maker < 0 || calls[values[value].maker].stage != stage;
  }
  /// Bytes saved from forward to backward, without outputs.
  int64_t keptBytes(const Remat &answer) const;
  /// The most live bytes of saved and recomputed values, without outputs, if backward calls run in their order and each
  /// clone just before the first one that needs it. O(calls + values).
  int64_t peakBytes(const Remat &answer) const;
  /// Time of all clones, in ns: the time that an answer adds to a micro-batch.
  int64_t recomputeNs(const Remat &answer) const;

  /// A lower bound of saved bytes: results of calls that must not be recomputed, as far as backward reads them.
  int64_t boundKeptBytes() const;
  /// A lower bound in ns: no answer that saves at most so many bytes recomputes for less time. Some of the values that
  /// backward reads cannot be saved. Each costs its maker's time, and that frees all results of the maker: a knapsack
  /// problem, whose fractional relaxation (best ratio first; Dantzig, 1957) is rounded down. O(calls log calls).
  int64_t boundRecomputeNs(int64_t keptBytes) const;

private:
  std::vector<bool> readByBackward() const;
};

/// The fewest clones for the segments that a policy has set, and the values that they start from. Exact: the closure of
/// what backward reads. O(calls + values).
Remat recompute(const RematProblem &problem);

/// Chooses the layers to save whole. Variables: for each layer whether it is saved. Objective: the most saved bytes.
/// Constraint: at most `limit` bytes. (Subset sum.)
class SubsetSumProblem {
public:
  std::vector<int64_t> bytes; ///< by layer: the bytes that saving it whole adds
  int64_t limit = 0;

  /// Says what is wrong: sizes must not be negative.
  Status check() const;
  /// Says what is wrong with an answer: the saved layers must fit.
  Status verify(const std::vector<bool> &kept) const;
  /// An upper bound: the limit, or the sum of all layers.
  int64_t bound() const;
};

/// Solves a subset-sum problem. Among equal answers the deepest layer in which they differ is saved.
///
/// Exact up to `mostSums`, by dynamic programming over the sums that the first layers can reach; then the saved bytes
/// never fall as the limit grows. O(layers x sums): few sums where layers share bodies, at most 2^layers. Above that,
/// sums close to a larger one are left out. The answer is then below the best by at most layers^2 / mostSums of the
/// limit, 0.2 % for 40 layers. It may also save a little less under a larger limit.
///
/// Fails on a problem that `check` refuses. Source: the textbook dynamic program and its approximation, e.g. Kellerer,
/// Pferschy & Pisinger, "Knapsack Problems", 2004, ch. 4.
Status solveSubsetSum(const SubsetSumProblem &problem, std::vector<bool> &kept);
/// Sums of all layers together, at 8 bytes each: 8 MiB.
inline constexpr size_t mostSums = size_t(1) << 20;

} // namespace plc::planner

#endif

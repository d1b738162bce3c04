//===- Retention.h - what is kept how long under a byte budget --*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_RETENTION_H
#define PLC_PLANNER_REMAT_RETENTION_H

#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Base/Fault.h"
#include "plc/Planner/Schedule/Schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plc::planner {

/// Which calls run again, and where.
struct Retention {
  struct Clone {
    int64_t call = 0;
    int64_t before = 0; ///< the call, by number, before whose own run it runs
    bool operator==(const Clone &) const = default;
  };
  std::vector<Clone> clones; ///< in the order in which they run
};

/// The calls of a stage for one micro-batch in a fixed order, all of F before all of B before all of W, and the bytes of
/// a rank. Some run again so that the bytes that live at once fit the budget; what that takes is as little time as possible.
///
/// A run of a call makes its results anew, and whoever reads a value reads what the last run before has made. So a value
/// lives from each run of its maker to the last read before the next one: any clones behind their originals are an
/// answer, and which values are kept how long follows from them. What nothing makes (parameters, inputs, outputs' places)
/// is part of the static bytes. A result may take over the place of an operand that is read for the last time.
///
/// With d micro-batches in flight, d - 1 others hold what lives from F to B while one computes; where the schedule moves W
/// away from B, what lives from B to W if that is more.
class RetentionProblem {
public:
  struct Call {
    TaskKind kind = TaskKind::F;
    int64_t ns = 0, scratchBytes = 0;
    bool repeatable = true;
    std::vector<int64_t> args{}, results{};             ///< values
    std::vector<std::pair<int64_t, int64_t>> inPlace{}; ///< (operand, result): values; the result may take its place
    std::string name{};                                 ///< for messages
  };
  std::vector<int64_t> bytes; ///< of each value
  std::vector<Call> calls;
  int64_t staticBytes = 0;
  int64_t inFlight = 1;
  bool splitsBackward = false; ///< other micro-batches run between B and W
  int64_t firstClone = 0;      ///< clones run before this call or a later one
  int64_t budgetBytes = 0;     ///< everything included

  /// Whether values are made at most once, before they are read, counts are positive, and tasks follow each other.
  Fault check() const;
  /// Whether clones are of repeatable calls, in order, behind their originals, and the peak is inside the budget.
  Fault verify(const Retention &answer) const;

  /// The most bytes that the rank holds at once, and the run where that is.
  struct Peak {
    int64_t bytes = 0;
    int64_t call = -1; ///< that runs there, or before whose run the clone does that runs there
  };
  Peak peakOf(const Retention &answer) const;
  /// Bytes that a micro-batch in flight holds while another one computes.
  int64_t heldBytes(const Retention &answer) const;
  /// What each run makes, in the order of runs and of its results: alive from its run to its last read. Times are runs.
  PackProblem blocksOf(const Retention &answer) const;
  /// Time of all clones.
  int64_t addedNs(const Retention &answer) const;
  /// Time of all calls, once.
  int64_t baseNs() const;
  /// The first call behind F; all calls if there is none.
  int64_t firstBackward() const;
  /// The first call of W if other micro-batches run before it; all calls if none do.
  int64_t firstAwaitedW() const;
  /// The maker of each value, or -1.
  std::vector<int64_t> makers() const;
  /// No answer fits in less: the most that one call reads, makes and needs beside, with the static bytes and what lives then
  /// and nothing makes again. O(calls + values).
  Peak workingSet() const;
  /// "no plan fits in this order with these kernels: ..", for what does not fit at a peak.
  Reason doesNotFit(const Peak &peak) const;
};

/// No answer of the budget adds less time; nothing fits if it has no value, because a call needs `least`. While a call t runs for the first time, what
/// later calls read of the values made before either lives, in the bytes that t leaves, or is computed again later, from
/// what lives or is computed again, too: a knapsack over closures. Its Lagrangian relaxation is a minimum cut for each
/// price of a byte, the best price is found by cutting planes, and the largest over some t is taken; what some t need up to
/// the next of them adds up. Sees chains of dropped values. O(times^2 x prices x flow). Source: closures as cuts by
/// Picard, "Maximal closure of a graph", 1976. Or, on problems of up to some 120 calls and if that is more, what prices of bytes and operands at all calls together
/// prove, by dynamic programs over each value: sees that a value is made again between two calls, too. O(rounds x calls x
/// (values + operands)). Source: a Lagrangian relaxation (Geoffrion, 1974); the linear one is about as good.
std::optional<int64_t> retentionBound(const RetentionProblem &problem, RetentionProblem::Peak *least = nullptr);

/// Bounds each of several problems once, however often it is asked for: equal stages have equal bounds.
class KnownRetentionBounds {
public:
  /// As `retentionBound`; 0 if nothing fits.
  int64_t of(const RetentionProblem &problem);

private:
  std::map<std::vector<int64_t>, int64_t> bounds; // by all of a problem but its names
};

} // namespace plc::planner

#endif

//===- BudgetedRemat.h - recomputation under a byte budget ----------*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_BUDGETEDREMAT_H
#define PLC_PLANNER_REMAT_BUDGETEDREMAT_H

#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Base/Status.h"
#include "plc/Planner/Schedule/Schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plc::planner {

/// An answer of `BudgetedRematProblem`: the clones, that is, calls that run again.
struct BudgetedRemat {
  struct Clone {
    int64_t call = 0;
    int64_t before = 0; ///< the call before whose own run the clone runs
    bool operator==(const Clone &) const = default;
  };
  std::vector<Clone> clones; ///< in execution order
};

/// Recomputation of one stage under a budget, at a fixed order: the calls of one micro-batch, all of F before all of B
/// before all of W.
///
/// Variables: the clones. Objective: the least time of clones. Constraint: the peak of live bytes of the rank is at
/// most `budgetBytes`.
///
/// Each run of a call makes its results anew, and a read finds the result of the last run before it. So a value is live
/// from each run of its maker to the last read before the next run. Any clones behind their originals are an answer,
/// and the saved values follow from them. Values without a maker (parameters, inputs, buffers of outputs) belong to the
/// persistent bytes. A result may take over the bytes of an operand whose last read this is.
///
/// With d micro-batches in flight, one computes, and d - 1 others hold what is live from F to B. If the schedule splits
/// the backward pass, they hold what is live from B to W if that is more.
///
/// Plans come from the search (lib/Search). This problem bounds their recomputing time from below, and tests solve it
/// exactly.
class BudgetedRematProblem {
public:
  struct Call {
    TaskKind kind = TaskKind::F;
    int64_t ns = 0, scratchBytes = 0;
    bool repeatable = true;
    std::vector<int64_t> args{}, results{}; ///< values
    /// (operand, result): the result may take over the operand's bytes.
    std::vector<std::pair<int64_t, int64_t>> inPlace{};
    std::string name{}; ///< for messages
  };
  std::vector<int64_t> bytes; ///< of each value
  std::vector<Call> calls;
  int64_t persistentBytes = 0;
  int64_t inFlight = 1;
  bool splitsBackward = false; ///< other micro-batches run between B and W
  int64_t firstClone = 0;      ///< clones run before this call or later ones
  int64_t budgetBytes = 0;     ///< of the rank, persistent bytes included

  /// Says what is wrong with the problem: values are made at most once and before any read, counts are positive, tasks
  /// stand in order.
  Status check() const;
  /// Says what is wrong with an answer: clones are of repeatable calls, in order, behind their originals, and the peak
  /// fits.
  Status verify(const BudgetedRemat &answer) const;

  /// The most live bytes of the rank, and where.
  struct Peak {
    int64_t bytes = 0;
    int64_t call = -1; ///< the running call, or the one before whose run a clone runs
  };
  Peak peakOf(const BudgetedRemat &answer) const;
  /// Bytes that a micro-batch in flight holds while another one computes.
  int64_t heldBytes(const BudgetedRemat &answer) const;
  /// Lifetimes of the results of each run, as a packing problem: from the run to the last read. Times count runs.
  PackProblem blocksOf(const BudgetedRemat &answer) const;
  /// Time of all clones, in ns.
  int64_t addedNs(const BudgetedRemat &answer) const;
  /// Time of all calls without clones, in ns.
  int64_t baseNs() const;
  /// The first call behind F; the number of calls if there is none.
  int64_t firstBackward() const;
  /// The first call of W if other micro-batches run before it; the number of calls if none do.
  int64_t firstAwaitedW() const;
  /// The maker of each value, or -1.
  std::vector<int64_t> makers() const;
  /// A lower bound on memory: persistent bytes, results that cannot be recomputed and are live, and the operands,
  /// results and scratch of one call; the most over all calls. O(calls + values).
  Peak workingSet() const;
  /// The message "no plan fits in this order with these kernels: ..", for a peak above the budget.
  Reason doesNotFit(const Peak &peak) const;
};

/// A lower bound of recomputing time, in ns: no answer within the budget adds less. Returns nothing if no answer fits;
/// then `least` names the call that needs most. The larger one of two bounds:
///
/// Moments. Call t runs for the first time. Each earlier value that later calls read is live, in the bytes that t
/// leaves, or it is recomputed later, from values that are live or recomputed themselves: a knapsack over closures. Its
/// Lagrangian relaxation is a minimum cut for each price of a byte; cutting planes find the best price. The bound is
/// the largest over some t, or the sum over several t that follow each other. It sees chains of dropped values.
/// O(moments^2 x prices x flow). Source: closures as cuts by Picard, "Maximal closure of a graph", 1976.
///
/// Prices of bytes and operands at all calls together (BudgetedRematDual.h), on problems of up to some 120 calls. They
/// also see that a value is recomputed several times. O(rounds x calls x (values + operands)).
std::optional<int64_t> budgetedRematBound(const BudgetedRematProblem &problem,
                                          BudgetedRematProblem::Peak *least = nullptr);

/// A pure cache of `budgetedRematBound`: equal stages have equal bounds. Results do not depend on it.
class KnownRematBounds {
public:
  /// As `budgetedRematBound`; 0 if nothing fits.
  int64_t of(const BudgetedRematProblem &problem);

private:
  std::map<std::vector<int64_t>, int64_t> bounds; // by all fields of a problem but the names
};

} // namespace plc::planner

#endif

//===- GroupSavings.h - what recomputation saves, group by group -*- C++ -*-===//
#ifndef PLC_PLANNER_GROUPSAVINGS_H
#define PLC_PLANNER_GROUPSAVINGS_H

#include "plc/Planner/Partition.h"

namespace plc::planner {

/// The calls of F in groups, as of a layer call each, before they are cut into stages: what a stage of some of them would save
/// by computing values again for B and W.
struct SavingsProblem {
  struct Value {
    int64_t bytes = 0;
    bool wanted = false; ///< B or W reads it, and it takes bytes of every micro-batch until then
  };
  struct Call {
    int64_t group = 0, ns = 0;
    bool repeatable = true;
    std::vector<int64_t> args{}, results{}; ///< values
  };
  std::vector<Value> values;
  std::vector<Call> calls; ///< in an order in which they may run
};

/// At how many prices `groupSavings` tells.
inline constexpr int64_t savingsPrices = 18;

/// For each call, at prices of a byte that rise, what it takes to run again and which bytes of its results are not kept then. An
/// estimate: a group computes its values again from what other groups make. That is kept but at the last two prices, where
/// of two, and of four, groups in a row all but one drop it and run once more. Each group is least in time + price x bytes:
/// a minimum cut, as choosing closures is (Picard, "Maximal closure of a graph", 1976). A value that is wanted, or read by
/// a call that runs again, is kept or its maker runs again; so a cut parts calls that run again, and what they read, from
/// the others, and pays the time of the former and the bytes of values that are read there and made here. Equal groups are
/// solved once. O(different groups x prices x flow).
std::vector<std::vector<PartitionProblem::Saving>> groupSavings(const SavingsProblem &problem);

} // namespace plc::planner

#endif

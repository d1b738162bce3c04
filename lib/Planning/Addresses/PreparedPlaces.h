//===- PreparedPlaces.h - where P has what it makes for itself --*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_PREPAREDPLACES_H
#define PLC_LIB_PLANNING_ADDRESSES_PREPAREDPLACES_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Planner/Addresses/Pack.h"

namespace plc::plan {

/// The lives of a P's slots, in their order, in its calls.
planner::PackProblem slotsOfPrepare(TaskOp task, TaskSlots &slots);

/// Places of what the P's of a rank make for themselves alone. Each runs by itself, before all else of the rank, so all of
/// these lie where the static area ends, whatever lies there later. The results of P are in the static area.
class PreparedPlaces {
public:
  PreparedPlaces(RankOp rank, TaskSlots &slots);

  planner::Fault pack(const planner::MemoryStrategyRow &strategy);
  /// From the end of the static area to the highest one's; and the most that live at one time.
  int64_t getBytes() const { return bytes; }
  int64_t getBound() const { return bound; }
  /// Gives runs their addresses, and drops behind each what it has made for itself.
  void write(int64_t staticBytes);

private:
  struct Prepare {
    RunOp run;
    planner::PackProblem problem;
    planner::Packing packing{};
  };
  std::vector<Prepare> prepares;
  int64_t bytes = 0, bound = 0;
};

} // namespace plc::plan

#endif

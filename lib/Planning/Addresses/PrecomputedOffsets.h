//===- PrecomputedOffsets.h - offsets of the temporaries of P -------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_PRECOMPUTEDOFFSETS_H
#define PLC_LIB_PLANNING_ADDRESSES_PRECOMPUTEDOFFSETS_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Planner/Addresses/Pack.h"

namespace plc::plan {

/// The slots of a task P, in their order, as blocks that live in its calls.
planner::PackProblem slotsOfPrecompute(TaskOp task, TaskSlots &slots);

/// Offsets of the temporaries of a rank's P tasks. Each P runs alone, before all else of the rank, so the temporaries
/// of all of them start where the persistent buffers end, in bytes that the step uses later. Results of P are
/// persistent buffers.
class PrecomputedOffsets {
public:
  PrecomputedOffsets(RankOp rank, TaskSlots &slots);

  planner::Status pack(const planner::MemoryStrategyRow &strategy);
  /// Bytes from the end of the persistent buffers to the end of the highest temporary, and the most that are live at
  /// one time.
  int64_t getBytes() const { return bytes; }
  int64_t getBound() const { return bound; }
  /// Writes the addresses of each run, and a drop of its temporaries behind it.
  void write(int64_t persistentBytes);

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

//===- PackInsertion.h - blocks that are taken out and put in again --*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_PACKINSERTION_H
#define PLC_LIB_PLANNER_ADDRESSES_PACKINSERTION_H

#include "PackSearch.h"

namespace plc::planner {

/// Packs the blocks of a search lower than `offsets` (bytes), if it can, but not below `goal`; `steps` limits the blocks that
/// are laid down, each counted by the sections that it lives in. Heuristic, deterministic.
///
/// A packing is an order: each block is laid upon what is there of those before it. That is a shop where a block is a job
/// on all machines (sections) at once and its size what it takes, so a few blocks at a time are taken out, mostly of
/// those that no unit could be added to without raising the top, and put in again one by one where the pile through them
/// is lowest: from the heights below each place and above it all places are known in two passes. What this makes is
/// taken or not as in simulated annealing. O(sections' members) a pass. Sources: Ruiz & Stuetzle, "A simple and effective
/// iterated greedy algorithm for the permutation flowshop scheduling problem", 2007; the two passes are Taillard's, "Some
/// efficient heuristic methods for the flow shop sequencing problem", 1990.
std::vector<int64_t> lowerByInsertion(const PackSearch &blocks, std::vector<int64_t> offsets, int64_t goal,
                                      int64_t steps);

} // namespace plc::planner

#endif

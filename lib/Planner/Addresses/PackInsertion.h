//===- PackInsertion.h - packings lowered by reinsertion --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_PACKINSERTION_H
#define PLC_LIB_PLANNER_ADDRESSES_PACKINSERTION_H

#include "PackSearch.h"

namespace plc::planner {

/// Lowers a packing (`offsets` in bytes) by iterated insertion, not below `goal`. `steps` limits the placements, each
/// counted by the sections that its block lives in. Heuristic, deterministic.
///
/// A packing is an order: each block is laid on top of the blocks before it. That is a flow shop in which a block is a
/// job on several machines (sections) at once, and its size is its time. A few blocks are removed, mostly critical
/// ones, whose growth would raise the top. Each is inserted again where the pile through it is lowest. Two passes give
/// the heights below and above every position, so all positions are known at once. The new order is accepted as in
/// simulated annealing. O(members of sections) a pass.
///
/// Sources: Ruiz & Stuetzle, "A simple and effective iterated greedy algorithm for the permutation flowshop scheduling
/// problem", 2007; the two passes are Taillard's, "Some efficient heuristic methods for the flow shop sequencing
/// problem", 1990.
std::vector<int64_t> lowerByInsertion(const PackSearch &blocks, std::vector<int64_t> offsets, int64_t goal,
                                      int64_t steps);

} // namespace plc::planner

#endif

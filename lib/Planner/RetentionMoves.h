//===- RetentionMoves.h - changes that keep an answer tidy ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONMOVES_H
#define PLC_LIB_PLANNER_RETENTIONMOVES_H

#include "RetentionState.h"

namespace plc::planner {

/// Ends a value's life in front of a slot: its maker runs again where the value is next read. What the clone reads and
/// did not live across the slot is made again, too, so that the slot gains; a clone that nobody needs any more goes. False,
/// and nothing has changed for good, if the value does not live across the slot or may not be made again.
bool drop(RetentionState &state, int64_t value, int64_t slot);

/// Takes a clone away, and the clones that ran for it alone.
void keep(RetentionState &state, int64_t call, int64_t slot);

/// Takes clones away, the longest first, as long as the budget is kept: "un-clone while the peak stays". No clone is left
/// that the budget does not need. O(clones x slots), a few times.
void polish(RetentionState &state);

/// Drops, at the slot of the highest peak, the value that costs least time for each byte above the budget that it takes
/// away, until nothing is above or nothing helps. Heuristic; O(drops x values x slots).
void dropGreedily(RetentionState &state);

/// Checkpoints of a chain: where single values join segments of F whose B's follow in reverse order, segments keep all, or
/// run again from a kept value, recursively. The least time in units of bytes, by the dynamic program of Beaumont et al.,
/// "Optimal checkpointing for heterogeneous chains", 2019 (rotor), with the most units whose plan really fits; polished. On
/// uniform chains that is Revolve (Griewank & Walther, 2000). False if there is no chain, or no plan fits; the state is then
/// any. O(segments^3 x units), with at most 96 segments.
bool checkpointChain(RetentionState &state);

/// Simulated annealing over clones (Kirkpatrick et al., 1983): values are dropped, kept, made again elsewhere. Bytes above
/// the budget have a price, which rises while most answers are above it and falls while they are not, so that the walk
/// stays near the budget. The state becomes the best answer in the budget, if there was one. Ends at `boundNs`. Deterministic. O(steps x slots).
void anneal(RetentionState &state, int64_t steps, int64_t boundNs, uint64_t seed);

} // namespace plc::planner

#endif

//===- RecomputationBounds.h - what recomputation had to take ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_RECOMPUTATIONBOUNDS_H
#define PLC_LIB_PLANNING_REMAT_RECOMPUTATIONBOUNDS_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Remat/Retention.h"

namespace plc::plan {

/// What a program recomputes, of one micro-batch of its first replica.
struct RecomputationFigures {
  int64_t keptBytes = 0; ///< made by F and read by B and W of the same stage, outputs apart
  int64_t ns = 0;        ///< of the clones
};
RecomputationFigures recomputationOf(ProgramOp program, const RouteTable &routes);

struct RecomputationBounds {
  int64_t keptBytes = 0; ///< no choice keeps less: what B and W read of layers that keep what they make
  int64_t ns = 0;        ///< no choice that holds as little computes again for less
};

/// Of a scheduled program as it stands, with its clones. Under a byte budget each rank is held to the bytes that it holds
/// at once, with as many micro-batches in flight as its runs have, and each of its stages to what it would add if it had
/// these bytes alone (`planner::retentionBound`); by other policies to the bytes that are kept for B and W
/// (`planner::RematProblem`).
RecomputationBounds boundsOfRecomputation(ProgramOp program, const RouteTable &routes,
                                          llvm::ArrayRef<std::string> keepKinds);

} // namespace plc::plan

#endif

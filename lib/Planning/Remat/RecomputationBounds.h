//===- RecomputationBounds.h - certificates of recomputation ----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_RECOMPUTATIONBOUNDS_H
#define PLC_LIB_PLANNING_REMAT_RECOMPUTATIONBOUNDS_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Remat/BudgetedRemat.h"

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

/// Lower bounds for a scheduled program as it stands, with its clones, for one micro-batch of its first replica.
///   - Under a byte budget each rank is held to its own peak, with as many micro-batches in flight as its runs have.
///     Each of its stages is bounded as if it had all these bytes alone (`planner::budgetedRematBound`), and the bounds
///     add up.
///   - By other policies the bytes saved for B and W are the limit (`planner::RematProblem`).
RecomputationBounds boundsOfRecomputation(ProgramOp program, const RouteTable &routes,
                                          llvm::ArrayRef<std::string> keepKinds);

} // namespace plc::plan

#endif

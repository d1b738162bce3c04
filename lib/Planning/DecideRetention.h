//===- DecideRetention.h - recomputation under a budget ---------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_DECIDERETENTION_H
#define PLC_LIB_PLANNING_DECIDERETENTION_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Retention.h"

namespace plc::plan {

/// What `decideRetention` needs to know beside a program.
struct RetentionLimits {
  bool splitsBackward = false;           ///< the schedule moves W away from its B
  std::vector<int64_t> inFlight;         ///< micro-batches of each stage
  int64_t bytes = 0;                     ///< of each rank, everything included
  llvm::ArrayRef<int64_t> reserved;      ///< of each rank's bytes, for what is known only with addresses; may be short
  llvm::ArrayRef<std::string> keepKinds; ///< kinds of layers that keep what they make
};

/// Writes into the calls of each stage what is computed again, and where, so that each rank keeps its bytes, and into the
/// program what that keeps and takes. The bound of a rank is the sum over its stages of what each would add if it had the
/// rank alone. Ranks that find no answer are an error, but if `refused` is given it gets some of them, and the program is left
/// half decided. `known` is asked for ranks that were solved before. `addedNs` gets what each stage computes again, if it is given; the
/// program then is a trial, which gets no bound.
mlir::LogicalResult decideRetention(ProgramOp program, const RetentionLimits &limits, planner::KnownRanks &known,
                                    llvm::SmallVectorImpl<int64_t> *refused = nullptr,
                                    std::vector<int64_t> *addedNs = nullptr);

} // namespace plc::plan

#endif

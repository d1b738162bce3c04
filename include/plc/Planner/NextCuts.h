//===- NextCuts.h - the cuts that were nearly taken -------------*- C++ -*-===//
#ifndef PLC_PLANNER_NEXTCUTS_H
#define PLC_PLANNER_NEXTCUTS_H

#include "plc/Planner/Partition.h"

namespace plc::planner {

/// A cut that differs from an answer in the stage of one part.
struct NextCut {
  int64_t part = -1; ///< -1: no part can move
  int64_t from = 0, to = 0;
  int64_t slowestNs = 0; ///< of all ranks
};

/// For each stage of an answer the fastest cut that differs by one part which the stage gives to the next or the one
/// before, or takes from it; one that is none (an empty stage, a value that goes back, too many bytes) does not count.
/// Ties by the part's number. O(parts x (parts + tensors)): it is for people.
std::vector<NextCut> nextCuts(const PartitionProblem &problem, const Partition &answer);

} // namespace plc::planner

#endif

//===- KnownCuts.h - cuts that were found before ----------------*- C++ -*-===//
#ifndef PLC_PLANNER_KNOWNCUTS_H
#define PLC_PLANNER_KNOWNCUTS_H

#include "plc/Planner/Partition.h"

#include <map>

namespace plc::planner {

/// Cuts each of several problems once, and bounds it once, however often it is asked for. Plans that are tried for other
/// schedules often ask for the same: without a limit of bytes, these are no part of a problem.
class KnownCuts {
public:
  /// As `solvePartition`.
  Fault solve(const PartitionProblem &problem, Partition &answer);
  /// As `PartitionProblem::bound`.
  int64_t bound(const PartitionProblem &problem);

private:
  using Key = std::vector<int64_t>; ///< what an answer depends on
  static Key describe(const PartitionProblem &problem, bool hasLimit);

  std::map<Key, Partition> cuts;
  std::map<Key, int64_t> bounds;
};

} // namespace plc::planner

#endif

//===- CutsBeside.h - cuts where others did not fit -------------*- C++ -*-===//
#ifndef PLC_PLANNER_CUTSBESIDE_H
#define PLC_PLANNER_CUTSBESIDE_H

#include "plc/Planner/Partition.h"

#include <optional>

namespace plc::planner {

/// How far apart stages are that exchange parts, plus one: any two of at most `mostPaired`; of more, for there are too many pairs,
/// neighbours alone.
inline constexpr int64_t mostPaired = 16;
constexpr int64_t pairsReach(int64_t stages) { return stages <= mostPaired ? stages : 2; }

/// Of the cuts beside those that were refused, and not refused themselves, the one whose fullest rank takes the fewest bytes as
/// the problem counts them, then the fastest; nothing if each takes more than `mostBytes`. Beside a cut is one in which a stage
/// gives a part to another that it is paired with (`pairsReach`), and each border between them moves by one part.
/// O(refused cuts x pairs of stages x (parts + tensors)).
std::optional<Partition> cutBeside(const PartitionProblem &problem, const std::vector<std::vector<int64_t>> &refused,
                                   int64_t mostBytes);

} // namespace plc::planner

#endif

//===- CutsBeside.h - cuts where others did not fit -------------*- C++ -*-===//
#ifndef PLC_PLANNER_CUTSBESIDE_H
#define PLC_PLANNER_CUTSBESIDE_H

#include "plc/Planner/Partition.h"

#include <optional>

namespace plc::planner {

/// Of the cuts beside those that were refused, and not refused themselves, the one whose fullest rank takes the fewest bytes as
/// the problem counts them, then the fastest; nothing if each takes more than `mostBytes`. Beside a cut is one in which a stage
/// gives a part to another, and each border between them moves by one part; of more than `mostPaired` stages, to a neighbour.
/// O(refused cuts x pairs of stages x (parts + tensors)).
std::optional<Partition> cutBeside(const PartitionProblem &problem, const std::vector<std::vector<int64_t>> &refused,
                                   int64_t mostBytes);

} // namespace plc::planner

#endif

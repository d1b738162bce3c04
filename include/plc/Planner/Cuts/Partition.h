//===- Partition.h - the stages that a program is cut into ------*- C++ -*-===//
#ifndef PLC_PLANNER_CUTS_PARTITION_H
#define PLC_PLANNER_CUTS_PARTITION_H

#include "plc/Planner/Base/Fault.h"
#include "plc/Planner/Base/Order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// Parts of a graph in stages, none empty, on ranks: how long the slowest rank takes for one micro-batch. No value goes
/// forwards from a later stage to an earlier one.
///
/// The time of a stage is that of its parts, and of every tensor that it receives, counted once however many of its parts
/// read it. Tensors flow both ways: activations forwards, gradients backwards. The time of a rank is the sum of its stages'.
class PartitionProblem {
public:
  struct Part {
    std::string name;
    int64_t ns = 0; ///< forward and backward
  };
  struct Tensor {
    int64_t producer = 0;             ///< part
    std::vector<int64_t> consumers{}; ///< parts, ascending
    int64_t ns = 0;                   ///< of one transfer
    bool forward = true;              ///< no consumer is in an earlier stage; a backward one orders nothing
  };

  std::vector<Part> parts;
  std::vector<Tensor> tensors;
  std::vector<int64_t> rankOf; ///< of each stage

  int64_t stages() const { return int64_t(rankOf.size()); }
  int64_t numRanks() const;
  /// Whether no sum of its times overflows; all others expect that.
  Fault check() const;
  /// Pairs of parts the first of which may not be in a later stage than the second.
  Edges orders() const;
  /// The time of each stage, given that of each part; O(parts + tensors), each with its ends.
  std::vector<int64_t> nsOfStages(const std::vector<int64_t> &stageOf) const;
  /// The time of the slowest rank.
  int64_t slowestNs(const std::vector<int64_t> &stageOf) const;
  /// Whether no stage is empty, and nothing goes forwards to an earlier one.
  bool isCut(const std::vector<int64_t> &stageOf) const;
  /// No cut is faster than this: max(total / ranks, largest part), rounded up; and where each stage has a rank, the least time
  /// in which each part still has a stage, and the ranks can take the work and the transfers that any cut between two stages
  /// makes (CutBound.cpp).
  int64_t bound() const;
};

/// A cut that differs from another in the stage of one part.
struct NextCut {
  int64_t part = -1; ///< -1: no part can move
  int64_t from = 0, to = 0;
  int64_t slowestNs = 0; ///< of all ranks
};

/// For each stage of a cut the fastest one that differs by one part which the stage gives to the next or the one before, or takes
/// from it. Ties by the part's number. O(parts x (parts + tensors)): it is for people.
std::vector<NextCut> nextCuts(const PartitionProblem &problem, const std::vector<int64_t> &stageOf);

} // namespace plc::planner

#endif

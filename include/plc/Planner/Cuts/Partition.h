//===- Partition.h - the stages that a program is cut into ------*- C++ -*-===//
#ifndef PLC_PLANNER_CUTS_PARTITION_H
#define PLC_PLANNER_CUTS_PARTITION_H

#include "plc/Planner/Base/Status.h"
#include "plc/Planner/Base/Order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// The problem of cuts. Variables: the stage of each node of a graph. Objective: the least time of the slowest rank for
/// one micro-batch. Constraints: no stage is empty, and no value goes forward to an earlier stage.
///
/// The time of a stage is that of its nodes and of every tensor that it receives; a tensor counts once, however many
/// nodes read it. Tensors flow both ways: activations forward, gradients backward. The time of a rank is the sum over
/// its stages. Times are ns.
class PartitionProblem {
public:
  /// A node of the graph, such as a layer call.
  struct Node {
    std::string name;
    int64_t ns = 0; ///< forward and backward
  };
  struct Tensor {
    int64_t producer = 0;             ///< node
    std::vector<int64_t> consumers{}; ///< nodes, ascending
    int64_t ns = 0;                   ///< of one transfer
    bool forward = true;              ///< no consumer may be in an earlier stage; a backward tensor orders nothing
  };

  std::vector<Node> nodes;
  std::vector<Tensor> tensors;
  std::vector<int64_t> rankOf; ///< of each stage

  int64_t stages() const { return int64_t(rankOf.size()); }
  int64_t numRanks() const;
  /// Says what is wrong: no sum of times may overflow. All other functions expect that.
  Status check() const;
  /// Pairs of nodes the first of which must not be in a later stage than the second.
  Edges orders() const;
  /// The time of each stage, given the stage of each node. O(nodes + tensors with their ends).
  std::vector<int64_t> nsOfStages(const std::vector<int64_t> &stageOf) const;
  /// The time of the slowest rank.
  int64_t slowestNs(const std::vector<int64_t> &stageOf) const;
  /// Whether an answer meets the constraints.
  bool isCut(const std::vector<int64_t> &stageOf) const;
  /// A lower bound of `slowestNs`: max(total / ranks, largest node), rounded up. Where each stage has a rank of its
  /// own, the larger one of that and a bound by windows and minimum cuts (CutBound.cpp).
  int64_t bound() const;
};

/// A cut that differs from another one in the stage of one node.
struct NextCut {
  int64_t node = -1; ///< node; -1: none can move
  int64_t from = 0, to = 0;
  int64_t slowestNs = 0; ///< of all ranks
};

/// For each stage of a cut the fastest neighbour: a cut in which the stage gives one node to the next or the previous
/// stage, or takes one from it. Ties go by the node's number. O(nodes x (nodes + tensors)); used for printing.
std::vector<NextCut> nextCuts(const PartitionProblem &problem, const std::vector<int64_t> &stageOf);

} // namespace plc::planner

#endif

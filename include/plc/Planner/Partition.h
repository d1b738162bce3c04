//===- Partition.h - cutting a graph of parts into stages -------*- C++ -*-===//
#ifndef PLC_PLANNER_PARTITION_H
#define PLC_PLANNER_PARTITION_H

#include "plc/Planner/Fault.h"
#include "plc/Planner/Order.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// Which part is in which stage.
struct Partition {
  std::vector<int64_t> stageOf; ///< of each part
  int64_t slowestNs = 0;        ///< time of the slowest rank
  bool exact = false;           ///< whoever cut has proven that no cut is faster
};

/// The parts of a graph are given to `stages`, none empty, on ranks, so that the slowest rank is as fast as possible and
/// each fits its memory. No value goes forwards from a later stage to an earlier one.
///
/// The time of a stage is that of its parts at the speed of its rank, plus that of every tensor it receives, counted once
/// however many of its parts read it. Tensors flow both ways: activations forwards, gradients backwards. The memory of
/// stage s holds what its parts keep for `inFlight[s]` micro-batches, what it receives for as many, its residents
/// (parameters and what belongs to them), and the largest scratch of its parts. Time and memory of a rank are the sums
/// over its stages, but for the scratch, which they share. Memory is an estimate: addresses are exact, later.
class PartitionProblem {
public:
  struct Part {
    std::string name;
    int64_t ns = 0;        ///< forward and backward, one micro-batch, at speed 100
    int64_t keptBytes = 0; ///< values kept from forward to backward, one micro-batch
    int64_t scratchBytes = 0;
  };
  struct Tensor {
    int64_t producer = 0;             ///< part
    std::vector<int64_t> consumers{}; ///< parts, ascending
    int64_t ns = 0, bytes = 0;        ///< of one transfer
    bool forward = true;              ///< no consumer is in an earlier stage; a backward one orders nothing
  };
  /// What is stored once per stage, in full at the first of the stages that use it.
  struct Resident {
    std::vector<int64_t> users{}; ///< parts, ascending
    int64_t ownerBytes = 0, copyBytes = 0;
  };

  std::vector<Part> parts;
  bool isChain = false; ///< parts come in their order, whatever the tensors say
  std::vector<Tensor> tensors;
  std::vector<Resident> residents;
  int64_t stages = 1;
  std::vector<int64_t> inFlight; ///< per stage
  std::vector<int64_t> place;    ///< rank of each stage; empty: a rank for each
  std::vector<int64_t> speed;    ///< of each rank, in percent; empty: 100 each
  int64_t limitBytes = 0;        ///< of each rank; 0: none

  /// What stages take on their rank.
  struct Load {
    int64_t ns = 0, heldBytes = 0, scratchBytes = 0;
    int64_t bytes() const { return heldBytes + scratchBytes; }
    Load operator+(const Load &other) const {
      return {ns + other.ns, heldBytes + other.heldBytes, std::max(scratchBytes, other.scratchBytes)};
    }
  };

  int64_t rankOf(int64_t stage) const { return place.empty() ? stage : place[stage]; }
  int64_t numRanks() const;
  int64_t speedOf(int64_t rank) const { return speed.empty() ? 100 : speed[rank]; }
  /// Time of so much work on a rank, rounded up.
  int64_t timeOn(int64_t rank, int64_t ns) const {
    return speed.empty() ? ns : (ns * 100 + speedOf(rank) - 1) / speedOf(rank);
  }
  /// Pairs of parts the first of which may not be in a later stage than the second.
  Edges orders() const;
  /// Of each stage; O(parts + tensors + residents), each with its ends.
  std::vector<Load> loadsOf(const std::vector<int64_t> &stageOf) const;
  /// Of each rank, from those of the stages.
  std::vector<Load> sumByRank(const std::vector<Load> &loads) const;
  /// Whether the problem is well formed, and has at least a part for each stage.
  Fault check() const;
  /// Whether an answer is one: no stage empty, nothing forwards to an earlier stage, its time, the memory of each rank.
  Fault verify(const Partition &answer) const;
  /// No cut is faster than this: max(total / sum of the ranks' speeds, largest part at the highest speed), rounded up; and
  /// where each stage has a rank and all are equally fast, the least time in which each part still has a stage, and the
  /// ranks can take the work and the transfers that any cut between two stages makes (CutBound.cpp).
  int64_t bound() const;

private:
  Fault checkTotals() const;
};

/// Minimises the time of the slowest rank, then that of the slowest stage: the best of the algorithms below. `exact` where
/// the graph has at most `ideals` ideals, or the bound is reached; else a heuristic: the best chain of parts in several
/// topological orders, with moves of parts between its stages; up to 256 parts also along orders that mix the parts of
/// each stage found, as long as their counted work lasts. Deterministic. Fails, with the binding rank, if it finds no cut that fits the memory; the answer is
/// then the one whose worst memory is least of those found.
inline constexpr size_t mostIdeals = 50000;
Fault solvePartition(const PartitionProblem &problem, Partition &answer, size_t ideals = mostIdeals);

/// Moves parts of the slowest stage to stages where they may be, one at a time, while the slowest stage concerned
/// becomes faster. Heuristic: never worse than the answer that it starts from.
void improveByMoves(const PartitionProblem &problem, Partition &answer);

/// The answer with given counts of parts, in their order, checked.
Fault fixPartition(const PartitionProblem &problem, const std::vector<int64_t> &counts, Partition &answer);

/// "3.2 GiB", "512 B".
std::string formatBytes(int64_t bytes);

} // namespace plc::planner

#endif

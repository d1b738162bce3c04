//===- Partition.h - cutting a chain of parts into stages -------*- C++ -*-===//
#ifndef PLC_PLANNER_PARTITION_H
#define PLC_PLANNER_PARTITION_H

#include "plc/Planner/Fault.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// Where the cuts are.
struct Partition {
  std::vector<int64_t> counts; ///< parts of each stage, in order
  int64_t slowestNs = 0;       ///< time of the slowest rank
};

/// A chain of parts is cut into `stages` runs, none empty, on ranks, so that the slowest rank is as fast as possible and
/// each fits its memory.
///
/// The time of a stage is that of its parts, plus that of every tensor it receives, counted once however many of its
/// parts read it. Tensors flow both ways: activations forwards, gradients backwards. The memory of stage s holds what
/// its parts keep for `inFlight[s]` micro-batches, what it receives for as many, its residents (parameters and what
/// belongs to them), and the largest scratch of its parts. Time and memory of a rank are the sums over its stages, but
/// for the scratch, which they share. Memory is an estimate: addresses are exact, later.
class PartitionProblem {
public:
  struct Part {
    std::string name;
    int64_t ns = 0;        ///< forward and backward, one micro-batch
    int64_t keptBytes = 0; ///< values kept from forward to backward, one micro-batch
    int64_t scratchBytes = 0;
  };
  struct Tensor {
    int64_t producer = 0;             ///< part
    std::vector<int64_t> consumers{}; ///< parts, ascending
    int64_t ns = 0, bytes = 0;        ///< of one transfer
  };
  /// What is stored once per stage, in full at the first of its users.
  struct Resident {
    std::vector<int64_t> users{}; ///< parts, ascending
    int64_t ownerBytes = 0, copyBytes = 0;
  };

  std::vector<Part> parts;
  std::vector<Tensor> tensors;
  std::vector<Resident> residents;
  int64_t stages = 1;
  std::vector<int64_t> inFlight; ///< per stage
  std::vector<int64_t> place;    ///< rank of each stage; empty: a rank for each
  int64_t limitBytes = 0;        ///< of each rank; 0: none

  /// What stages take on their rank.
  struct Load {
    int64_t ns = 0, heldBytes = 0, scratchBytes = 0;
    int64_t bytes() const { return heldBytes + scratchBytes; }
    Load operator+(const Load &other) const;
  };

  int64_t rankOf(int64_t stage) const { return place.empty() ? stage : place[stage]; }
  int64_t numRanks() const;
  /// Time of a stage of parts [begin, end).
  int64_t timeOf(int64_t begin, int64_t end) const;
  /// Bytes of a stage of parts [begin, end) with so many micro-batches in flight.
  int64_t bytesOf(int64_t begin, int64_t end, int64_t inFlight) const;
  Load loadOf(int64_t stage, int64_t begin, int64_t end) const;
  /// Whether the problem is well formed, and has at least a part for each stage.
  Fault check() const;
  /// Whether an answer is one: a positive count per stage, their sum, its time, the memory of each rank.
  Fault verify(const Partition &answer) const;
  /// No cut is faster than this: max(total / ranks, largest part), rounded up.
  int64_t bound() const;
};

/// Minimises the time of the slowest rank; among equals, the last cuts are as early as possible.
/// Dynamic programming over (stages used, parts covered). With a rank for each stage T(s, j) = min over i < j of
/// max(T(s-1, i), time of [i, j) if it fits as stage s): exact, O(stages n^2), plus O(n^2 (tensors + residents)) for the
/// table of segments. Where a rank has stages to come, its load so far belongs to the state, and the states of (s, j)
/// that no other dominates are kept: exact while there are at most 128, else the 128 with the least worst load.
/// Fails, with the binding rank, if no cut (that was kept) fits the memory. Source: the chains-on-chains problem, e.g.
/// Pinar & Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", 2004 (there with prefix sums; here
/// segments have costs of their own).
Fault solveByChainDP(const PartitionProblem &problem, Partition &answer);

/// The answer with given counts, checked.
Fault fixPartition(const PartitionProblem &problem, const std::vector<int64_t> &counts, Partition &answer);

/// "3.2 GiB", "512 B".
std::string formatBytes(int64_t bytes);

} // namespace plc::planner

#endif

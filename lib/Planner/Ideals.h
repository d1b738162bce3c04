//===- Ideals.h - the sets of parts that may come first ---------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_IDEALS_H
#define PLC_LIB_PLANNER_IDEALS_H

#include "plc/Planner/Partition.h"

namespace plc::planner {

/// Sets of parts that hold all that must come before their members, as a graph: from each set to those with one part
/// more. The cuts of a graph into ordered stages are the paths from the empty set to the set of all parts, so what is
/// known of cutting a chain holds here, with sets for prefixes.
class Ideals {
public:
  struct Step {
    int64_t part, ideal; ///< the part that is added, the set that it makes
  };
  /// Of each set, by size; the first is empty, the last is all.
  std::vector<std::vector<Step>> steps;
  std::vector<int64_t> size, ns;   ///< parts in each set, and their time
  std::vector<int64_t> from, last; ///< a set with one part less, and that part
  std::vector<int64_t> position;   ///< of each part in a topological order

  /// All ideals; false if there are more than `most`. O(ideals * (width + parts / 64)).
  bool enumerate(const PartitionProblem &problem, size_t most);
  /// The prefixes of an order alone.
  void takePrefixes(const PartitionProblem &problem, const std::vector<int64_t> &order);
  /// Whether a part is in the set, of all parts. O(parts).
  std::vector<bool> members(int64_t ideal) const;

private:
  int64_t add(int64_t before, int64_t part, int64_t partNs);
};

/// States of an ideal that are kept, at most; and of one of many orders, or where all would be too many to compare.
inline constexpr size_t mostStates = 128, fewStates = 8;

/// The best cut along the paths of some ideals, by dynamic programming over (stages used, ideal covered); T(s, J) = min over
/// I in J of max(T(s-1, I), time of J - I if it fits as stage s). Only segments within a bottleneck are looked at, which is
/// raised from the bound until there is a cut, and only where the stages before and behind can hold what is left; along one
/// order at worst O(stages n^2). Where a rank has stages to come, its load so far belongs to the state, and of the states that no
/// other dominates those with the least worst load are kept, up to `states`. Source: the chains-on-chains problem, e.g. Pinar &
/// Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", 2004 (there with prefix sums; here segments
/// have costs of their own).
///
/// If nothing fits the memory, the cut of least worst memory (a fault of `verify` tells it). Exact if all ideals are there and
/// `answer.exact` comes back true: no states were dropped. Returns what it looked at: segments, states that they continue, and
/// comparisons of states; equal for equal problems.
int64_t cutAlong(const PartitionProblem &problem, const Ideals &ideals, Partition &answer, size_t states = mostStates);

} // namespace plc::planner

#endif

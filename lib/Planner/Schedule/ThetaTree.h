//===- ThetaTree.h - earliest ends of sets of jobs --------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_THETATREE_H
#define PLC_LIB_PLANNER_SCHEDULE_THETATREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plc::planner {

/// The earliest time at which a set of jobs of one machine can have ended. Jobs are numbered in the order of their
/// heads. Optional jobs stand beside the set: the tree also has the end with at most one of them, and which one. O(log
/// jobs) for each change. Source: Vilim, "Global Constraints in Scheduling", 2007, sec. 2.2 and 2.5 (theta-lambda
/// tree).
class ThetaTree {
public:
  explicit ThetaTree(size_t jobs);

  void add(int64_t job, int64_t head, int64_t ns) { put(job, {ns, head + ns, ns, head + ns, -1, -1}); }
  void addOptional(int64_t job, int64_t head, int64_t ns) { put(job, {0, never, ns, head + ns, job, job}); }
  void remove(int64_t job) { put(job, {}); }

  int64_t end() const { return nodes[1].end; }
  int64_t endWithOne() const { return nodes[1].endWithOne; }
  /// The optional job that `endWithOne` counts; -1 if none.
  int64_t theOne() const { return nodes[1].ofEnd; }

private:
  static constexpr int64_t never = INT64_MIN / 4;
  struct Node {
    int64_t ns = 0, end = never;               // of the jobs below
    int64_t nsWithOne = 0, endWithOne = never; // with the optional job that raises it most
    int64_t ofNs = -1, ofEnd = -1;             // the optional job that counts in each
  };
  void put(int64_t job, Node leaf);

  size_t leaves = 1;
  std::vector<Node> nodes;
};

} // namespace plc::planner

#endif

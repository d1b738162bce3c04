//===- ThetaTree.h - when sets of one machine's jobs end --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_THETATREE_H
#define PLC_LIB_PLANNER_SCHEDULE_THETATREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plc::planner {

/// A set of jobs of one machine, by their ranks in the order of heads, and the earliest time at which all of them can have
/// ended. Beside them stand optional jobs: the same time with at most one of these, and which. O(log jobs) each change.
/// Source: Vilim, "Global Constraints in Scheduling", 2007, sec. 2.2 and 2.5 (theta-lambda tree).
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
    int64_t nsWithOne = 0, endWithOne = never; // with the optional job for which it is most
    int64_t ofNs = -1, ofEnd = -1;             // that job
  };
  void put(int64_t job, Node leaf);

  size_t leaves = 1;
  std::vector<Node> nodes;
};

} // namespace plc::planner

#endif

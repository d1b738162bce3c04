//===- PartEnds.h - what a stage of some parts takes ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_PARTENDS_H
#define PLC_LIB_PLANNER_PARTENDS_H

#include "plc/Planner/Partition.h"

namespace plc::planner {

/// Of each part the tensors and residents that it has to do with.
struct PartEnds {
  std::vector<std::vector<int64_t>> produced, consumed, used;
  explicit PartEnds(const PartitionProblem &problem);
};

/// Work, transfers and bytes of a set of parts that grows and shrinks by one part at a time. O(ends of the part) each.
class PartSegment {
public:
  explicit PartSegment(const PartitionProblem &problem);

  /// No parts, behind those that are `before` it (none given: it matters to no resident).
  void start(std::vector<bool> before);
  void add(int64_t part);
  void remove(int64_t part);

  int64_t workNs = 0, receiveNs = 0;
  int64_t keptBytes = 0; ///< for each micro-batch in flight
  int64_t onceBytes = 0;

private:
  void receive(int64_t tensor, int64_t sign);
  int64_t bytesOf(int64_t resident) const;

  const PartitionProblem &problem;
  PartEnds ends;
  std::vector<bool> before;
  std::vector<int64_t> readers, users; ///< parts inside that read the tensor, use the resident
  std::vector<bool> made;              ///< the tensor's producer is inside
};

} // namespace plc::planner

#endif

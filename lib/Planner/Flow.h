//===- Flow.h - a minimum cut -----------------------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_FLOW_H
#define PLC_LIB_PLANNER_FLOW_H

#include <cstdint>
#include <vector>

namespace plc::planner {

/// A network of capacities; a cut parts its nodes in those with the source and those with the sink.
class FlowNetwork {
public:
  explicit FlowNetwork(int64_t nodes) : first(nodes, -1) {}

  void addEdge(int64_t from, int64_t to, int64_t capacity);
  /// Capacities of the edges in the order in which they were added, for another price.
  void setCapacity(int64_t edge, int64_t capacity);
  /// The least capacity between two nodes, and for each node whether it is on the source's side of a cut of it. Blocking
  /// flows (Dinic, 1970): O(nodes^2 edges), in practice near linear.
  int64_t minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource);

private:
  struct Edge {
    int64_t to, next, capacity, left;
  };
  bool findLevels(int64_t source, int64_t sink);
  int64_t push(int64_t source, int64_t sink);

  std::vector<int64_t> first; ///< edge of each node, -1: none
  std::vector<Edge> edges;    ///< each beside its reverse
  std::vector<int64_t> level, current;
};

} // namespace plc::planner

#endif

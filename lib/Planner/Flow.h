//===- Flow.h - a minimum cut -----------------------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_FLOW_H
#define PLC_LIB_PLANNER_FLOW_H

#include <boost/graph/adjacency_list.hpp>

#include <cstdint>
#include <vector>

namespace plc::planner {

/// A network of capacities; a cut parts its nodes in those with the source and those with the sink.
class FlowNetwork {
public:
  explicit FlowNetwork(int64_t nodes) : graph(nodes) {}

  void addEdge(int64_t from, int64_t to, int64_t capacity);
  /// Capacities of the edges in the order in which they were added, for another price.
  void setCapacity(int64_t edge, int64_t capacity) { graph[edges[edge]].capacity = capacity; }
  /// The least capacity between two nodes, and for each node whether it is on the source's side of a cut of it, the cut
  /// nearest to the source. Boykov and Kolmogorov, 2004, as Boost.Graph has it; in practice near linear.
  int64_t minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource);

private:
  using Descriptor = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>::edge_descriptor;
  struct Edge {
    int64_t capacity = 0, left = 0;
    Descriptor reverse{};
  };
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Edge> graph;
  std::vector<Descriptor> edges; ///< without their reverses
};

} // namespace plc::planner

#endif

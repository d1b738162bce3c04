//===- Flow.h - a minimum cut -----------------------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_BASE_FLOW_H
#define PLC_LIB_PLANNER_BASE_FLOW_H

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plc::planner {

/// A network of capacities; a cut parts its nodes in those with the source and those with the sink.
class FlowNetwork {
public:
  explicit FlowNetwork(int64_t nodes) : nodes(nodes) {}

  /// All edges are added before the first cut.
  void addEdge(int64_t from, int64_t to, int64_t capacity);
  /// Capacities of the edges in the order in which they were added, for another price.
  void setCapacity(int64_t edge, int64_t capacity) { capacities[edge] = capacity; }
  /// The least capacity between two nodes, and for each node whether it is on the source's side of a cut of it, the cut
  /// nearest to the source. Boykov and Kolmogorov, 2004, as Boost.Graph has it; in practice near linear.
  int64_t minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource);

private:
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, int64_t, int64_t>;
  using Arc = Graph::edge_descriptor;
  void build();

  int64_t nodes;
  std::vector<std::pair<int64_t, int64_t>> ends; ///< of the edges
  std::vector<int64_t> capacities;
  std::optional<Graph> graph;  ///< an arc for each edge, and one back
  std::vector<int64_t> places; ///< of the edges among the arcs
  std::vector<Arc> reverse;    ///< by arc
};

} // namespace plc::planner

#endif

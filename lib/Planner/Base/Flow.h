//===- Flow.h - minimum cuts ------------------------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_BASE_FLOW_H
#define PLC_LIB_PLANNER_BASE_FLOW_H

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plc::planner {

/// A directed network with capacities. A cut divides its nodes into a side with the source and a side with the sink;
/// its capacity is that of the edges from the first to the second.
class FlowNetwork {
public:
  explicit FlowNetwork(int64_t nodes) : nodes(nodes) {}

  /// Adds an edge. All edges are added before the first cut.
  void addEdge(int64_t from, int64_t to, int64_t capacity);
  /// Changes the capacity of an edge, numbered in the order of addition, for another cut.
  void setCapacity(int64_t edge, int64_t capacity) { capacities[edge] = capacity; }
  /// Returns the least capacity of a cut between two nodes, and the side of each node in the minimum cut nearest to the
  /// source. Boykov and Kolmogorov, 2004, as in Boost.Graph; near linear in practice.
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

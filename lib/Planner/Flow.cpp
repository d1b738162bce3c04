//===- Flow.cpp - a minimum cut by Boost.Graph ----------------------------===//
#include "Flow.h"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

using namespace plc::planner;

void FlowNetwork::addEdge(int64_t from, int64_t to, int64_t capacity) {
  Descriptor edge = boost::add_edge(from, to, Edge{capacity}, graph).first;
  Descriptor back = boost::add_edge(to, from, Edge{}, graph).first;
  graph[edge].reverse = back;
  graph[back].reverse = edge;
  edges.push_back(edge);
}

int64_t FlowNetwork::minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource) {
  size_t nodes = boost::num_vertices(graph);
  std::vector<boost::default_color_type> colors(nodes);
  std::vector<Descriptor> predecessors(nodes);
  std::vector<int64_t> distances(nodes);
  auto index = boost::get(boost::vertex_index, graph);
  int64_t flow = boost::boykov_kolmogorov_max_flow(
      graph, boost::get(&Edge::capacity, graph), boost::get(&Edge::left, graph), boost::get(&Edge::reverse, graph),
      boost::make_iterator_property_map(predecessors.begin(), index),
      boost::make_iterator_property_map(colors.begin(), index),
      boost::make_iterator_property_map(distances.begin(), index), index, source, sink);
  withSource.resize(nodes);
  for (size_t node = 0; node < nodes; ++node)
    withSource[node] = colors[node] == boost::black_color; // in the tree that grew from the source
  return flow;
}

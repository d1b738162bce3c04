//===- Flow.cpp - minimum cuts by Boost.Graph -----------------------------===//
#include "Flow.h"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

using namespace plc::planner;

void FlowNetwork::addEdge(int64_t from, int64_t to, int64_t capacity) {
  ends.emplace_back(from, to);
  capacities.push_back(capacity);
}

// Builds the compressed graph: arcs sorted by their start, each with its reverse arc. Capacities change between cuts,
// so the graph is built once.
void FlowNetwork::build() {
  // A counting sort by start node: each edge has one arc there and one back.
  std::vector<int64_t> next(nodes + 1);
  for (auto [from, to] : ends) {
    ++next[from + 1];
    ++next[to + 1];
  }
  for (int64_t node = 0; node < nodes; ++node)
    next[node + 1] += next[node];
  std::vector<std::pair<int64_t, int64_t>> arcs(2 * ends.size());
  reverse.resize(arcs.size());
  for (auto [from, to] : ends) {
    int64_t there = next[from]++, back = next[to]++;
    arcs[there] = {from, to};
    arcs[back] = {to, from};
    reverse[there] = Arc(to, back);
    reverse[back] = Arc(from, there);
    places.push_back(there);
  }
  graph.emplace(boost::edges_are_sorted, arcs.begin(), arcs.end(), nodes);
}

int64_t FlowNetwork::minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource) {
  if (!graph)
    build();
  std::vector<int64_t> capacity(reverse.size()), left(reverse.size());
  for (size_t edge = 0; edge < places.size(); ++edge)
    capacity[places[edge]] = capacities[edge];
  // Boost's algorithm needs these as buffers; colors then show the source's side.
  std::vector<boost::default_color_type> colors(nodes);
  std::vector<Arc> predecessors(nodes);
  std::vector<int64_t> distances(nodes);
  auto index = boost::get(boost::vertex_index, *graph);
  auto byArc = boost::get(boost::edge_index, *graph);
  int64_t flow = boost::boykov_kolmogorov_max_flow(
      *graph, boost::make_iterator_property_map(capacity.begin(), byArc),
      boost::make_iterator_property_map(left.begin(), byArc), boost::make_iterator_property_map(reverse.begin(), byArc),
      boost::make_iterator_property_map(predecessors.begin(), index),
      boost::make_iterator_property_map(colors.begin(), index),
      boost::make_iterator_property_map(distances.begin(), index), index, source, sink);
  withSource.resize(nodes);
  for (int64_t node = 0; node < nodes; ++node)
    withSource[node] = colors[node] == boost::black_color; // in the tree that grew from the source
  return flow;
}

//===- Order.cpp - topological orders and cycles --------------------------===//
#include "plc/Planner/Base/Order.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <deque>

using namespace plc::planner;

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph build(int64_t nodes, const Edges &edges) {
  Graph graph(nodes);
  for (auto [before, after] : edges)
    boost::add_edge(before, after, graph);
  return graph;
}

// Whether the graph has no cycle: all nodes can be taken, each after all before it. A fast check before the search for
// a cycle.
bool isAcyclic(int64_t nodes, const Edges &edges) {
  // Edges of one start as a linked list in two arrays: no allocation for each node.
  std::vector<int64_t> missing(nodes), first(nodes, -1), next(edges.size()), ready;
  for (size_t edge = 0; edge < edges.size(); ++edge) {
    auto [before, after] = edges[edge];
    ++missing[after];
    next[edge] = first[before];
    first[before] = edge;
  }
  for (int64_t node = 0; node < nodes; ++node)
    if (!missing[node])
      ready.push_back(node);
  int64_t taken = 0;
  for (; !ready.empty(); ++taken) {
    int64_t node = ready.back();
    ready.pop_back();
    for (int64_t edge = first[node]; edge >= 0; edge = next[edge])
      if (--missing[edges[edge].second] == 0)
        ready.push_back(edges[edge].second);
  }
  return taken == nodes;
}

} // namespace

bool plc::planner::sortTopologically(int64_t nodes, const Edges &edges, std::vector<int64_t> &order) {
  Graph graph = build(nodes, edges);
  order.clear();
  order.reserve(nodes);
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag &) {
    return false;
  }
  // Boost lists nodes in the order in which they are finished, last ones first.
  std::reverse(order.begin(), order.end());
  return true;
}

std::vector<int64_t> plc::planner::findCycle(int64_t nodes, const Edges &edges) {
  if (isAcyclic(nodes, edges))
    return {};
  Graph graph = build(nodes, edges);
  std::vector<int64_t> component(nodes);
  // An edge inside a strongly connected component lies on a cycle.
  boost::strong_components(graph, component.data());
  // Breadth-first search from the end of an edge inside a component back to its start: a shortest cycle through the
  // edge.
  for (auto [from, to] : edges) {
    if (component[from] != component[to])
      continue;
    std::vector<int64_t> previous(nodes, -1);
    std::deque<int64_t> queue{to};
    previous[to] = to;
    while (previous[from] < 0) {
      int64_t node = queue.front();
      queue.pop_front();
      for (auto [edge, end] = boost::out_edges(node, graph); edge != end; ++edge) {
        int64_t next = boost::target(*edge, graph);
        if (previous[next] >= 0)
          continue;
        previous[next] = node;
        queue.push_back(next);
      }
    }
    std::vector<int64_t> cycle;
    for (int64_t node = from; node != to; node = previous[node])
      cycle.push_back(node);
    cycle.push_back(to);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }
  return {};
}

//===- Dot.cpp - a graph for Graphviz -------------------------------------===//
#include "plc/Planner/Base/Dot.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>

std::string plc::planner::print(const Dot &dot) {
  using Labelled = boost::property<boost::edge_index_t, size_t>;
  // Bidirectional, because edges are then in a list: gcc takes the iterators of the other form for uninitialized.
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Labelled> graph(
      dot.nodes.size());
  for (size_t i = 0; i < dot.edges.size(); ++i)
    boost::add_edge(dot.edges[i].source, dot.edges[i].destination, Labelled(i), graph);
  auto label = [](std::ostream &os, const std::string &text) {
    os << "[label=" << boost::escape_dot_string(text) << "]";
  };
  auto number = boost::get(boost::edge_index, graph);
  std::ostringstream out;
  boost::write_graphviz(
      out, graph, [&](std::ostream &os, size_t node) { label(os, dot.nodes[node]); },
      [&](std::ostream &os, auto edge) { label(os, dot.edges[number[edge]].label); },
      [&](std::ostream &os) { os << "label=" << boost::escape_dot_string(dot.name) << ";\nnode [shape=box];\n"; });
  return out.str();
}

//===- Dot.h - a graph for Graphviz -----------------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_DOT_H
#define PLC_PLANNER_BASE_DOT_H

#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// A graph with labels, ready to print.
struct Dot {
  struct Edge {
    int64_t source, destination; ///< nodes
    std::string label;
  };
  std::string name;
  std::vector<std::string> nodes; ///< labels
  std::vector<Edge> edges;
};

/// Prints the graph in the DOT language, by Boost's write_graphviz.
std::string print(const Dot &graph);

} // namespace plc::planner

#endif

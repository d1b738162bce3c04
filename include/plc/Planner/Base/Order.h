//===- Order.h - topological orders and cycles ------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_ORDER_H
#define PLC_PLANNER_BASE_ORDER_H

#include <cstdint>
#include <utility>
#include <vector>

namespace plc::planner {

/// Edges (before, after) between nodes 0 .. nodes-1.
using Edges = std::vector<std::pair<int64_t, int64_t>>;

/// Finds an order that respects the edges; returns false if there is none. O(nodes + edges), by Boost's
/// topological_sort.
bool sortTopologically(int64_t nodes, const Edges &edges, std::vector<int64_t> &order);

/// A shortest cycle through some edge, each node before the next and the last before the first; empty if there is none.
std::vector<int64_t> findCycle(int64_t nodes, const Edges &edges);

} // namespace plc::planner

#endif

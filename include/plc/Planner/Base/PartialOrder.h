//===- PartialOrder.h - partial orders --------------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_PARTIALORDER_H
#define PLC_PLANNER_BASE_PARTIALORDER_H

#include "plc/Planner/Base/Order.h"

#include <optional>

namespace plc::planner {

/// The transitive reduction: the edges that do not follow from others, sorted by their ends. A graph without cycles has
/// exactly one. Each edge leads from a lower number to a higher one. Reachability is kept as rows of bits for 4,096
/// starts at a time: O(nodes / 4096 (nodes + edges)) operations on rows of 512 bytes, and memory for one row of each
/// node. Definition: A. V. Aho, M. R. Garey, J. D. Ullman, "The transitive reduction of a directed graph", SIAM J.
/// Comput. 1, 1972.
Edges reduceOrder(int64_t nodes, Edges edges);

/// The first of the `needed` edges, by its end, that does not follow from the `given` ones. Edges are as for
/// `reduceOrder`.
std::optional<std::pair<int64_t, int64_t>> findUnordered(int64_t nodes, Edges given, Edges needed);

/// A random order that respects the edges, which have no cycle: at each position one of the ready nodes, drawn by
/// `seed`.
std::vector<int64_t> drawOrder(int64_t nodes, const Edges &edges, uint64_t seed);

} // namespace plc::planner

#endif

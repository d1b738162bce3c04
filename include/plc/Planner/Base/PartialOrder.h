//===- PartialOrder.h - orders that leave some pairs open -------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_PARTIALORDER_H
#define PLC_PLANNER_BASE_PARTIALORDER_H

#include "plc/Planner/Base/Order.h"

#include <optional>

namespace plc::planner {

/// The edges that do not follow from others, sorted by their ends: the transitive reduction, which a graph without cycles
/// has exactly one of. Each edge leads from a lower number to a higher one. What reaches a node is a row of bits, made for
/// 4,096 starts at a time: O(nodes / 4096 (nodes + edges)) words of 512 bytes, and memory for one such row of each node.
/// (A. V. Aho, M. R. Garey, J. D. Ullman, "The transitive reduction of a directed graph", SIAM J. Comput. 1, 1972.)
Edges reduceOrder(int64_t nodes, Edges edges);

/// The first of the `needed` edges, by their ends, that does not follow from the `given` ones; both as for `reduceOrder`.
std::optional<std::pair<int64_t, int64_t>> findUnordered(int64_t nodes, Edges given, Edges needed);

/// An order that respects the edges, which have no cycle: at each place one of the nodes that may come next, drawn by `seed`.
std::vector<int64_t> drawOrder(int64_t nodes, const Edges &edges, uint64_t seed);

} // namespace plc::planner

#endif

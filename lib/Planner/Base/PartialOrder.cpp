//===- PartialOrder.cpp - partial orders ----------------------------------===//
#include "plc/Planner/Base/PartialOrder.h"

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

using namespace plc::planner;

namespace {

// Bits of a row: larger rows mean fewer passes but more memory, 512 bytes for each node here. Not tuned.
constexpr int64_t startsAtOnce = 4096;

/// For a block of start nodes, beginning with `first`: the set of starts that reach each node.
class Reach {
public:
  Reach(int64_t nodes, int64_t first) : first(first), rows(nodes - first) {}

  bool holds(int64_t start) const { return start >= first && start < first + startsAtOnce; }
  bool reaches(int64_t start, int64_t node) const {
    int64_t bit = start - first;
    return rows[node - first][bit / 64] >> (bit % 64) & 1;
  }

  /// Adds an edge: its end is reached from its start, and from all that reach the start. Edges come in the order of
  /// their ends.
  void add(int64_t start, int64_t node) {
    // A start before the block cannot be reached from a start in it: edges rise.
    if (start < first)
      return;
    Row &row = rows[node - first];
    const Row &before = rows[start - first];
    for (size_t word = 0; word < row.size(); ++word)
      row[word] |= before[word];
    if (int64_t bit = start - first; holds(start))
      row[bit / 64] |= uint64_t(1) << (bit % 64);
  }

private:
  using Row = std::array<uint64_t, startsAtOnce / 64>;
  int64_t first;
  std::vector<Row> rows;
};

/// Sorts by ends, and at one end the nearest start first: a longer path from a start goes through a nearer one, which
/// is then known.
void sort(Edges &edges) {
  std::sort(edges.begin(), edges.end(),
            [](auto a, auto b) { return a.second != b.second ? a.second < b.second : a.first > b.first; });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

} // namespace

Edges plc::planner::reduceOrder(int64_t nodes, Edges edges) {
  sort(edges);
  Edges reduced;
  // One pass over all edges for each block of starts: memory stays linear in the nodes.
  for (int64_t first = 0; first < nodes; first += startsAtOnce) {
    Reach reach(nodes, first);
    for (auto [start, end] : edges) {
      if (start < first)
        continue;
      // Nearer starts of the same end came before: an edge not reached by now follows from no others.
      if (reach.holds(start) && !reach.reaches(start, end))
        reduced.emplace_back(start, end);
      reach.add(start, end);
    }
  }
  std::sort(reduced.begin(), reduced.end(),
            [](auto a, auto b) { return std::tie(a.second, a.first) < std::tie(b.second, b.first); });
  return reduced;
}

std::optional<std::pair<int64_t, int64_t>> plc::planner::findUnordered(int64_t nodes, Edges given, Edges needed) {
  sort(given);
  sort(needed);
  std::optional<std::pair<int64_t, int64_t>> found;
  for (int64_t first = 0; first < nodes; first += startsAtOnce) {
    Reach reach(nodes, first);
    for (auto [start, end] : given)
      reach.add(start, end);
    for (auto [start, end] : needed)
      // Keeps the earliest end over all blocks of starts.
      if (reach.holds(start) && !reach.reaches(start, end) && (!found || end < found->second))
        found.emplace(start, end);
  }
  return found;
}

std::vector<int64_t> plc::planner::drawOrder(int64_t nodes, const Edges &edges, uint64_t seed) {
  std::vector<int64_t> missing(nodes), ready, order;
  std::vector<std::vector<int64_t>> next(nodes);
  for (auto [start, end] : edges) {
    next[start].push_back(end);
    ++missing[end];
  }
  for (int64_t node = 0; node < nodes; ++node)
    if (!missing[node])
      ready.push_back(node);
  std::mt19937_64 random(seed);
  // Any node whose predecessors are out may be next. So every order has a positive probability, though not an equal
  // one.
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    int64_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (int64_t end : next[node])
      if (--missing[end] == 0)
        ready.push_back(end);
  }
  return order;
}

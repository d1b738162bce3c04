//===- OrderSearch.h - squeaky-wheel search over orders ---------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_ORDERSEARCH_H
#define PLC_LIB_PLANNER_ADDRESSES_ORDERSEARCH_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plc::planner {

/// Tries orders until one ends at the bound: first the given ones, then rounds from the best of them. In each round,
/// things that ended above the bound come earlier, each time by a larger part of the order ("squeaky wheel"
/// optimization; Joslin & Clements, 1999).
///
/// `place(order)` places all things and returns the highest end; `topOf(thing)` is the thing's end in the last
/// placement; `rounds()` is called once, after the given orders, and limits the rounds.
template <typename Place, typename TopOf, typename Rounds>
void searchOrders(const std::vector<std::vector<size_t>> &given, int64_t bound, Place place, TopOf topOf,
                  Rounds rounds) {
  std::vector<size_t> order;
  int64_t least = INT64_MAX;
  for (const std::vector<size_t> &each : given) {
    if (least <= bound)
      return;
    if (int64_t end = place(each); end < least) {
      least = end;
      order = each;
    }
  }
  for (size_t left = least > bound ? rounds() : 0; left && least > bound; --left) {
    least = std::min(least, place(order));
    std::vector<double> rank(order.size());
    for (size_t position = 0; position < order.size(); ++position) {
      size_t thing = order[position];
      // Half the position: so trouble moves forward quickly, and everything else keeps its order.
      rank[thing] = topOf(thing) > bound ? double(position) / 2 - 1 : double(position);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  }
}

} // namespace plc::planner

#endif

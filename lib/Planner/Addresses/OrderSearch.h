//===- OrderSearch.h - orders in which things find their places -*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ADDRESSES_ORDERSEARCH_H
#define PLC_LIB_PLANNER_ADDRESSES_ORDERSEARCH_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plc::planner {

/// Tries orders of things until one ends at the bound: the given ones, then, from the best of these, in each round one
/// where what ended above the bound comes earlier, by a part of the order that grows while nothing is found ("squeaky
/// wheel" optimization; Joslin & Clements, 1999). `place(order)` gives each thing its place and returns where the highest
/// ends; `topOf(thing)` tells where one ended that it placed last; `rounds()` is asked when the given orders are tried.
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
      rank[thing] = topOf(thing) > bound ? double(position) / 2 - 1 : double(position);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  }
}

} // namespace plc::planner

#endif

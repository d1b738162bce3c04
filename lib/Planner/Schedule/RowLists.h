//===- RowLists.h - lists of items by row -----------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_ROWLISTS_H
#define PLC_LIB_PLANNER_SCHEDULE_ROWLISTS_H

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace plc::planner {

/// A list of items for each row, in two arrays (compressed rows): one allocation instead of one for each row.
template <typename Item>
class Rows {
public:
  Rows() = default;
  /// From (row, item) pairs; each row keeps the order of the list.
  Rows(int64_t rows, const std::vector<std::pair<int64_t, Item>> &list) : first(rows + 1), items(list.size()) {
    for (const auto &[row, item] : list)
      ++first[row + 1];
    for (int64_t row = 0; row < rows; ++row)
      first[row + 1] += first[row];
    std::vector<int64_t> next(first.begin(), first.end());
    for (const auto &[row, item] : list)
      items[next[row]++] = item;
  }

  int64_t count() const { return int64_t(first.size()) - 1; }
  std::span<const Item> operator[](int64_t row) const {
    return std::span(items).subspan(first[row], first[row + 1] - first[row]);
  }

private:
  std::vector<int64_t> first{0}; // of each row, and the end
  std::vector<Item> items;
};

} // namespace plc::planner

#endif

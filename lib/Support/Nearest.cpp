//===- Nearest.cpp - which name was meant ---------------------------------===//
#include "plc/Support/Nearest.h"

#include <algorithm>
#include <vector>

using namespace plc;

/// The restricted Damerau-Levenshtein distance (optimal string alignment): letters to change, insert, delete or
/// exchange with their neighbor. Three rows of the table are enough.
static unsigned distanceOf(std::string_view a, std::string_view b) {
  std::vector<unsigned> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = static_cast<unsigned>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = row;
    row[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

void Nearest::offer(std::string_view known, std::string_view meant) {
  // The difference of lengths is a lower bound: most names need no table.
  size_t difference = known.size() > name.size() ? known.size() - name.size() : name.size() - known.size();
  if (difference > distance || known.empty())
    return;
  unsigned found = distanceOf(name, known);
  if (found < distance || (found == distance && !best.empty() && known < best))
    distance = found, best = known, told = meant.empty() ? known : meant;
}

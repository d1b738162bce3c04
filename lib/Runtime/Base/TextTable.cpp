// Prints aligned columns.
#include "plc/Runtime/Base/TextTable.h"

#include <algorithm>
#include <cstdio>

namespace plc::runtime {

void TextTable::print(int indent) const {
  std::vector<size_t> widths(sides.size());
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const auto &row : rows) {
    std::string line(static_cast<size_t>(indent), ' ');
    for (size_t column = 0; column < row.size(); ++column) {
      std::string space(widths[column] - row[column].size(), ' ');
      line += (column ? "  " : "") + (sides[column] == 'r' ? space + row[column] : row[column] + space);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

} // namespace plc::runtime

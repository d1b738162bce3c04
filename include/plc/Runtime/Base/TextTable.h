// A table of text, each column as wide as its widest cell.
#ifndef PLC_RUNTIME_BASE_TEXTTABLE_H
#define PLC_RUNTIME_BASE_TEXTTABLE_H

#include <string>
#include <vector>

namespace plc::runtime {

/// Collects rows, then prints them aligned.
class TextTable {
public:
  /// One letter for each column, 'l' or 'r': the alignment of its cells.
  explicit TextTable(std::string sides) : sides(std::move(sides)) {}

  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  /// To stdout, each row indented, without trailing spaces.
  void print(int indent = 2) const;

private:
  std::string sides;
  std::vector<std::vector<std::string>> rows;
};

} // namespace plc::runtime

#endif

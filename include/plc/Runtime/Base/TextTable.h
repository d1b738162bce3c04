// Columns of text, each as wide as its widest cell.
#ifndef PLC_RUNTIME_BASE_TEXTTABLE_H
#define PLC_RUNTIME_BASE_TEXTTABLE_H

#include <string>
#include <vector>

namespace plc::runtime {

class TextTable {
public:
  /// A letter per column: 'l' or 'r', the side to which its cells are set.
  explicit TextTable(std::string sides) : sides(std::move(sides)) {}

  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  /// To standard output, each row behind `indent` spaces and without spaces at its end.
  void print(int indent = 2) const;

private:
  std::string sides;
  std::vector<std::vector<std::string>> rows;
};

} // namespace plc::runtime

#endif

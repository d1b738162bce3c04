// Groups of parameters as a table.
#include "Groups.h"

#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Base/TextTable.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace plc::runtime {

namespace {

using module::OptimizerSettings;
using module::ParameterGroups;

/// The numbers that may differ between parameters.
std::vector<std::pair<std::string, double>> numbersOf(const OptimizerSettings &settings) {
  std::vector<std::pair<std::string, double>> numbers{{module::lrName, settings.lr}};
  for (const module::OptimizerSetting &setting : settings.settings)
    numbers.emplace_back(setting.name, setting.value);
  numbers.emplace_back(module::clipNormName, settings.clipNorm);
  numbers.emplace_back(module::clipValueName, settings.clipValue);
  return numbers;
}

/// Groups first, parameters without one last; the highest layer first.
bool comesBefore(const ParameterGroups::Variant &a, const ParameterGroups::Variant &b) {
  auto rank = [](const ParameterGroups::Variant &each) {
    return std::tuple(each.group < 0, each.group, each.depth, !each.decays);
  };
  return rank(a) < rank(b);
}

/// Leaves out numbers that are the same in all rows, but the rate.
void keepDifferences(std::vector<GroupRow> &rows) {
  for (size_t column = rows[0].values.size(); column-- > 1;)
    if (std::ranges::all_of(rows, [&](const GroupRow &row) { return row.values[column] == rows[0].values[column]; }))
      for (GroupRow &row : rows)
        row.values.erase(row.values.begin() + static_cast<std::ptrdiff_t>(column));
}

/// All paths of a short list, the first and the last of a long one.
std::string listOf(const std::vector<std::string> &paths) {
  constexpr size_t most = 4; // fits a line with usual paths; not tuned
  std::string text;
  for (size_t i = 0; i < paths.size(); ++i)
    if (paths.size() <= most || i < 2 || i + 1 == paths.size())
      text += (text.empty() ? "" : ", ") + paths[i];
    else if (i == 2)
      text += ", ..";
  return text;
}

} // namespace

std::vector<GroupRow> groupRows(const Engine &engine) {
  const OptimizerSettings &settings = engine.optimizer();
  ParameterGroups groups(settings, module::groupedParameters(engine.parameters()));
  std::vector<GroupRow> rows;
  if (settings.groups.empty() && groups.variants().size() < 2)
    return rows;
  std::vector<size_t> order(groups.variants().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](size_t a, size_t b) { return comesBefore(groups.variants()[a], groups.variants()[b]); });
  for (size_t number : order) {
    const ParameterGroups::Variant &variant = groups.variants()[number];
    GroupRow &row = rows.emplace_back();
    if (variant.group >= 0) {
      row.match = settings.groups[static_cast<size_t>(variant.group)].match;
      row.frozen = settings.groups[static_cast<size_t>(variant.group)].frozen;
    }
    row.values = numbersOf(groups.settingsOf(number));
    for (const ParameterInfo &parameter : engine.parameters())
      if (groups.variantOf(parameter.path) == number) {
        row.paths.push_back(parameter.path);
        row.elements += parameter.tensor().numElements();
      }
  }
  keepDifferences(rows);
  return rows;
}

void printGroups(const std::vector<GroupRow> &rows) {
  if (rows.empty())
    return;
  std::vector<std::string> header{"group", "parameters", "elements"};
  for (const auto &[name, value] : rows[0].values)
    header.push_back(name);
  header.push_back("");
  TextTable table("lrr" + std::string(rows[0].values.size(), 'r') + "l");
  table.add(header);
  for (const GroupRow &row : rows) {
    std::vector<std::string> cells{row.match.empty() ? "(none)" : row.match, std::to_string(row.paths.size()),
                                   std::to_string(row.elements)};
    for (const auto &[name, value] : row.values)
      cells.push_back(row.frozen ? "-" : shortestDigits(ElementType::F64, value));
    cells.push_back((row.frozen ? "frozen: " : "") + listOf(row.paths));
    table.add(std::move(cells));
  }
  table.print();
}

} // namespace plc::runtime

// Groups of parameters as a table.
#include "Groups.h"

#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Base/TextTable.h"

#include <algorithm>
#include <cstdio>

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

const double *findValue(const GroupRow &row, const std::string &name) {
  auto found = std::ranges::find_if(row.values, [&](const auto &value) { return value.first == name; });
  return found == row.values.end() ? nullptr : &found->second;
}

/// The numbers of all rows; an optimizer may lack those of another.
std::vector<std::string> namesOf(const std::vector<GroupRow> &rows) {
  std::vector<std::string> names;
  for (const GroupRow &row : rows)
    for (const auto &[name, value] : row.values)
      if (!std::ranges::count(names, name))
        names.push_back(name);
  return names;
}

/// Variants of other rules of one optimizer have the same settings.
bool haveSameSettings(ParameterGroups::Variant a, ParameterGroups::Variant b) {
  a.form = b.form = 0;
  return a == b;
}

/// Leaves out numbers that are the same in all rows, but the rate.
void keepDifferences(std::vector<GroupRow> &rows) {
  for (const std::string &name : namesOf(rows)) {
    const double *first = findValue(rows[0], name);
    auto isSame = [&](const GroupRow &row) {
      const double *value = findValue(row, name);
      return first && value && *value == *first;
    };
    if (name != module::lrName && std::ranges::all_of(rows, isSame))
      for (GroupRow &row : rows)
        std::erase_if(row.values, [&](const auto &value) { return value.first == name; });
  }
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
  std::vector<size_t> order;
  for (size_t number = 0; number < groups.variants().size(); ++number)
    if (std::ranges::none_of(
            order, [&](size_t other) { return haveSameSettings(groups.variants()[number], groups.variants()[other]); }))
      order.push_back(number);
  if (settings.groups.empty() && order.size() < 2)
    return rows;
  std::ranges::sort(order, [&](size_t a, size_t b) { return comesBefore(groups.variants()[a], groups.variants()[b]); });
  for (size_t number : order) {
    const ParameterGroups::Variant &variant = groups.variants()[number];
    GroupRow &row = rows.emplace_back();
    if (variant.group >= 0) {
      row.match = settings.groups[static_cast<size_t>(variant.group)].match;
      row.frozen = settings.groups[static_cast<size_t>(variant.group)].frozen;
    }
    const OptimizerSettings own = groups.settingsOf(number);
    row.values = numbersOf(own);
    row.kind = own.kind;
    for (const ParameterInfo &parameter : engine.parameters())
      if (haveSameSettings(groups.variants()[groups.variantOf(parameter.path)], variant)) {
        row.paths.push_back(parameter.path);
        row.elements += parameter.tensor().numElements();
      }
  }
  keepDifferences(rows);
  if (std::ranges::all_of(rows, [&](const GroupRow &row) { return row.kind == rows[0].kind; }))
    for (GroupRow &row : rows)
      row.kind.clear();
  return rows;
}

void printGroups(const std::vector<GroupRow> &rows) {
  if (rows.empty())
    return;
  const std::vector<std::string> names = namesOf(rows);
  const bool hasKinds = !rows[0].kind.empty();
  std::vector<std::string> header{"group", "parameters", "elements"};
  if (hasKinds)
    header.push_back(module::kindName);
  header.insert(header.end(), names.begin(), names.end());
  header.push_back("");
  TextTable table("lrr" + std::string(hasKinds, 'l') + std::string(names.size(), 'r') + "l");
  table.add(header);
  for (const GroupRow &row : rows) {
    std::vector<std::string> cells{row.match.empty() ? "(none)" : row.match, std::to_string(row.paths.size()),
                                   std::to_string(row.elements)};
    if (hasKinds)
      cells.push_back(row.frozen ? "-" : row.kind);
    for (const std::string &name : names) {
      const double *value = row.frozen ? nullptr : findValue(row, name);
      cells.push_back(value ? shortestDigits(ElementType::F64, *value) : "-");
    }
    cells.push_back((row.frozen ? "frozen: " : "") + listOf(row.paths));
    table.add(std::move(cells));
  }
  table.print();
}

} // namespace plc::runtime

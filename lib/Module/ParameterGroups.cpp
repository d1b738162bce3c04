//===- ParameterGroups.cpp - which settings a parameter has ---------------===//
#include "plc/Module/ParameterGroups.h"

#include "plc/Support/Nearest.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>
#include <sstream>

using namespace plc;
using namespace plc::module;

std::string plc::module::groupKey(size_t group, const std::string &name) {
  return "optimizer.group." + std::to_string(group) + "." + name;
}

/// Whether one of the patterns, joined by commas, is that of a path.
static bool matches(const std::string &patterns, const std::string &path) {
  std::istringstream list(patterns);
  for (std::string pattern; std::getline(list, pattern, ',');) {
    size_t begin = pattern.find_first_not_of(' '), end = pattern.find_last_not_of(' ');
    if (begin != std::string::npos && !::fnmatch(pattern.substr(begin, end + 1 - begin).c_str(), path.c_str(), 0))
      return true;
  }
  return false;
}

/// For each parameter the number of its layer: the first part of its path, or what a turn of a `repeat` calls:
/// `attention.3` and `ffn.3` behind one another are one layer.
static std::vector<int64_t> layersOf(const std::vector<GroupedParameter> &parameters) {
  std::map<std::string, int64_t> named;
  std::vector<int64_t> layers;
  std::string last;
  int64_t count = 0;
  for (const auto &[path, numAxes, rows, frozen] : parameters) {
    std::istringstream parts(path);
    std::string name, number;
    std::getline(std::getline(parts, name, '.'), number, '.');
    bool isRepeated = !number.empty() && std::isdigit(static_cast<unsigned char>(number[0]));
    std::string layer = isRepeated ? number : name;
    if (layer == last) {
      layers.push_back(layers.back());
      continue;
    }
    last = layer;
    layers.push_back(isRepeated ? count++ : named.try_emplace(name, count).first->second);
    count += !isRepeated && layers.back() == count;
  }
  return layers;
}

std::vector<GroupedParameter> plc::module::groupedParameters(const std::vector<ParameterInfo> &wholes) {
  std::vector<GroupedParameter> grouped;
  for (const ParameterInfo &each : wholes)
    grouped.push_back({each.path, static_cast<int64_t>(each.shape.size()), each.rows, each.frozen});
  return grouped;
}

ParameterGroups::ParameterGroups(const OptimizerSettings &settings, const std::vector<GroupedParameter> &parameters)
    : base(settings) {
  const std::vector<int64_t> layers = layersOf(parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto &[path, numAxes, rows, frozen] = parameters[i];
    paths.push_back(path);
    Variant variant;
    auto group =
        std::ranges::find_if(base.groups, [&](const ParameterGroup &each) { return matches(each.match, path); });
    if (group != base.groups.end())
      variant.group = group - base.groups.begin();
    if (base.layerDecay != 1)
      variant.depth = *std::ranges::max_element(layers) - layers[i];
    variant.decays = !base.decayMatricesOnly || numAxes >= 2;
    auto form = std::ranges::find_if(base.forms, [&](const OptimizerForm &each) {
      return each.kind == kindOf(variant.group) && each.takes(rows && !each.isElementwise() ? 2 : numAxes);
    });
    variant.form = form == base.forms.end() ? -1 : form - base.forms.begin();
    auto known = std::ranges::find(distinct, variant);
    numbers[path] = static_cast<size_t>(known - distinct.begin());
    if (known == distinct.end())
      distinct.push_back(variant);
  }
}

const std::string &ParameterGroups::kindOf(int64_t group) const {
  return group < 0 || base.groups[static_cast<size_t>(group)].kind.empty()
             ? base.kind
             : base.groups[static_cast<size_t>(group)].kind;
}

const OptimizerForm *ParameterGroups::formOf(const std::string &path) const {
  int64_t form = distinct[variantOf(path)].form;
  return form < 0 ? nullptr : &base.forms[static_cast<size_t>(form)];
}

OptimizerSettings ParameterGroups::settingsOf(size_t number) const {
  const Variant &variant = distinct[number];
  OptimizerSettings settings = base;
  settings.kind = kindOf(variant.group);
  if (settings.kind != base.kind)
    settings.settings = base.groups[static_cast<size_t>(variant.group)].settings;
  auto set = [&](const std::string &name, double value) {
    if (name == lrName)
      settings.lr = value;
    else if (name == clipNormName)
      settings.clipNorm = value;
    else if (name == clipValueName)
      settings.clipValue = value;
    else
      for (OptimizerSetting &setting : settings.settings)
        if (setting.name == name)
          setting.value = value;
  };
  if (!variant.decays)
    set(weightDecayName, 0);
  if (variant.group >= 0)
    for (const auto &[name, value] : base.groups[static_cast<size_t>(variant.group)].values)
      set(name, value);
  for (int64_t layer = 0; layer < variant.depth; ++layer)
    settings.lr *= base.layerDecay;
  return settings;
}

std::vector<std::string> ParameterGroups::membersOf(int64_t group) const {
  std::vector<std::string> members;
  for (const std::string &path : paths)
    if (groupOf(path) == group)
      members.push_back(path);
  return members;
}

std::optional<SettingConflict> ParameterGroups::findConflict() const {
  for (size_t group = 0; group < base.groups.size(); ++group) {
    const std::string &match = base.groups[group].match;
    if (!membersOf(static_cast<int64_t>(group)).empty())
      continue;
    auto other = std::ranges::find_if(paths, [&](const std::string &path) { return matches(match, path); });
    if (other != paths.end()) {
      const std::string &winner = base.groups[static_cast<size_t>(groupOf(*other))].match;
      return SettingConflict{groupKey(group, matchName),
                             "no parameter is left for the group '" + match + "': '" + *other + "' is in the group '" +
                                 winner + "' before it, and the first match wins; put '" + match + "' first"};
    }
    Nearest nearest(match);
    for (const std::string &path : paths)
      for (size_t at = 0; at != std::string::npos; at = path.find('.', at + 1))
        nearest.offer(match.starts_with('*') ? "*" + path.substr(at) : path);
    return SettingConflict{groupKey(group, matchName), "no parameter has a path like '" + match + "'" + nearest.text() +
                                                           "; the first one is '" + (paths.empty() ? "" : paths[0]) +
                                                           "', and 'plc-run params' lists all"};
  }
  return std::nullopt;
}

std::optional<SettingConflict> ParameterGroups::findUntaken(const std::vector<GroupedParameter> &parameters) const {
  for (const auto &[path, numAxes, rows, frozen] : parameters) {
    const Variant &variant = distinct[variantOf(path)];
    bool isFrozen = frozen || (variant.group >= 0 && base.groups[static_cast<size_t>(variant.group)].frozen);
    if (variant.form >= 0 || isFrozen)
      continue;
    std::string key = variant.group < 0 ? "optimizer.kind" : groupKey(static_cast<size_t>(variant.group), kindName);
    return SettingConflict{key, "optimizer '" + kindOf(variant.group) + "' has no rules for the " +
                                    std::to_string(numAxes) + " axes of parameter '" + path +
                                    "'; give such parameters an [[optimizer.group]] with a 'kind' that has, such as "
                                    "\"adamw\", or 'frozen = true'"};
  }
  return std::nullopt;
}

StatesOfParameters plc::module::statesOf(const OptimizerSettings &settings, const std::vector<ParameterInfo> &wholes) {
  ParameterGroups groups(settings, groupedParameters(wholes));
  StatesOfParameters states;
  for (const ParameterInfo &each : wholes) {
    const OptimizerForm *form = each.frozen ? nullptr : groups.formOf(each.path);
    states.push_back(form ? form->states : std::vector<OptimizerState>());
  }
  return states;
}

std::vector<int64_t> plc::module::updatedShape(const std::vector<int64_t> &shape, int64_t rows) {
  if (!rows)
    return shape;
  std::vector<int64_t> matrix{1, 1};
  for (size_t axis = 0; axis < shape.size(); ++axis)
    matrix[static_cast<int64_t>(axis) >= rows] *= shape[axis];
  return matrix;
}

std::vector<int64_t> plc::module::axesOf(const OptimizerState &state, int64_t numAxes, int64_t rows) {
  // The rules count from the last axis, and see a parameter with rows as a matrix.
  auto number = [&](int64_t axis) { return rows ? (axis < rows ? 2 : 1) : numAxes - axis; };
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < numAxes; ++axis)
    if (!std::ranges::count(state.lacks, number(axis)))
      axes.push_back(axis);
  return axes;
}

TensorInfo plc::module::momentOf(const ParameterInfo &parameter, const OptimizerState &state) {
  TensorInfo moment{parameter.path, parameter.type, {}};
  for (int64_t axis : axesOf(state, static_cast<int64_t>(parameter.shape.size()), parameter.rows))
    moment.shape.push_back(parameter.shape[static_cast<size_t>(axis)]);
  return moment;
}

std::optional<ShardName> plc::module::shardOfMoment(const ParameterInfo &parameter, const OptimizerState &state,
                                                    const ShardName &shard) {
  std::vector<int64_t> axes = axesOf(state, static_cast<int64_t>(parameter.shape.size()), parameter.rows);
  auto found = std::ranges::find(axes, shard.axis);
  if (found == axes.end())
    return std::nullopt;
  return ShardName{shard.whole, found - axes.begin(), shard.index, shard.count};
}

//===- ParameterGroups.h - which settings a parameter has -------*- C++ -*-===//
#ifndef PLC_MODULE_PARAMETERGROUPS_H
#define PLC_MODULE_PARAMETERGROUPS_H

#include "plc/Module/Entries.h"
#include "plc/Module/OptimizerKeys.h"

#include <map>
#include <string>
#include <vector>

namespace plc::module {

/// A whole parameter, as groups see it.
struct GroupedParameter {
  std::string path;
  int64_t numAxes;
};
std::vector<GroupedParameter> groupedParameters(const std::vector<ParameterInfo> &wholes);

/// The settings of each parameter: those of its group, of its layer and of its number of axes on top of those of the
/// optimizer. Parameters that have the same settings have the same `Variant`.
class ParameterGroups {
public:
  /// What tells the settings of a parameter.
  struct Variant {
    int64_t group = -1; // -1: none
    int64_t depth = 0;  // layers behind its layer; 0 if `layer_decay` is 1
    bool decays = true;
    bool operator==(const Variant &) const = default;
  };

  /// `parameters` in the order of the program. Layers are the model's own, and turns of its `repeat`: `embed`, then
  /// `attention.0` and `ffn.0`, `attention.1` and `ffn.1`, then `head`.
  ParameterGroups(const OptimizerSettings &settings, const std::vector<GroupedParameter> &parameters);

  /// Distinct ones, in the order of the program; the functions below take their numbers.
  const std::vector<Variant> &variants() const { return distinct; }
  size_t variantOf(const std::string &path) const { return numbers.at(path); }
  int64_t groupOf(const std::string &path) const { return distinct[variantOf(path)].group; }
  OptimizerSettings settingsOf(size_t variant) const;
  /// The paths of a group, in the order of the program; of -1 those in no group.
  std::vector<std::string> membersOf(int64_t group) const;
  const OptimizerSettings &settings() const { return base; }

  /// The first group that cannot mean what it says: one that matches nothing, or nothing that no group before has.
  std::optional<SettingConflict> findConflict() const;

private:
  const OptimizerSettings &base;
  std::vector<std::string> paths;
  std::vector<Variant> distinct;
  std::map<std::string, size_t> numbers; // by path
};

/// The path of a key of a group: "optimizer.group.0.lr".
std::string groupKey(size_t group, const std::string &name);

} // namespace plc::module

#endif

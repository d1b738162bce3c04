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
  int64_t numAxes, rows = 0; // as `ParameterInfo` has them
  bool frozen = false;       // by the model
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
    int64_t form = -1; // of `OptimizerSettings::forms`; -1: none takes its axes
    bool operator==(const Variant &) const = default;
  };

  /// `parameters` in the order of the program. Layers are the model's own, and turns of its `repeat`: `embed`, then
  /// `attention.0` and `ffn.0`, `attention.1` and `ffn.1`, then `head`.
  ParameterGroups(const OptimizerSettings &settings, const std::vector<GroupedParameter> &parameters);

  /// Distinct ones, in the order of the program; the functions below take their numbers.
  const std::vector<Variant> &variants() const { return distinct; }
  size_t variantOf(const std::string &path) const { return numbers.at(path); }
  bool has(const std::string &path) const { return numbers.contains(path); }
  int64_t groupOf(const std::string &path) const { return distinct[variantOf(path)].group; }
  OptimizerSettings settingsOf(size_t variant) const;
  /// The rules that update a parameter, if it is trained; null if none takes its axes.
  const OptimizerForm *formOf(const std::string &path) const;
  /// The paths of a group, in the order of the program; of -1 those in no group.
  std::vector<std::string> membersOf(int64_t group) const;
  const OptimizerSettings &settings() const { return base; }

  /// The first group that cannot mean what it says: one that matches nothing, or nothing that no group before has.
  std::optional<SettingConflict> findConflict() const;
  /// The first parameter that is trained and that no form of its optimizer takes.
  std::optional<SettingConflict> findUntaken(const std::vector<GroupedParameter> &parameters) const;

private:
  /// The optimizer of a group's parameters.
  const std::string &kindOf(int64_t group) const;
  const OptimizerSettings &base;
  std::vector<std::string> paths;
  std::vector<Variant> distinct;
  std::map<std::string, size_t> numbers; // by path
};

/// A parameter as rules on whole tensors see it: a matrix, or the shape that it has.
std::vector<int64_t> updatedShape(const std::vector<int64_t> &shape, int64_t rows);
inline std::vector<int64_t> updatedShape(const ParameterInfo &whole) { return updatedShape(whole.shape, whole.rows); }

/// The tensors that are kept beside each parameter; none beside a frozen one.
using StatesOfParameters = std::vector<std::vector<OptimizerState>>;
StatesOfParameters statesOf(const OptimizerSettings &settings, const std::vector<ParameterInfo> &wholes);
/// The axes of a parameter that a state beside it has.
std::vector<int64_t> axesOf(const OptimizerState &state, int64_t numAxes, int64_t rows);
/// Such a tensor, beside a parameter or a shard.
TensorInfo momentOf(const ParameterInfo &parameter, const OptimizerState &state);
/// How a shard of a parameter divides such a tensor; nullopt: each shard has all of it.
std::optional<ShardName> shardOfMoment(const ParameterInfo &parameter, const OptimizerState &state,
                                       const ShardName &shard);

/// The path of a key of a group: "optimizer.group.0.lr".
std::string groupKey(size_t group, const std::string &name);

} // namespace plc::module

#endif

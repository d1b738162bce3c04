// Settings of a compiled model that a run may change.
#ifndef PLC_RUNTIME_BASE_RUNSETTINGS_H
#define PLC_RUNTIME_BASE_RUNSETTINGS_H

#include "plc/Module/OptimizerSettings.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

using module::OptimizerSettings;

/// Values by key, as `--set` has them.
using SettingTexts = std::map<std::string, std::string>;

/// The settings of a module with those of a run on top: rates, schedule, clipping, numbers of the optimizer's rules,
/// `optimizer.ema` if the plan has averages, `training.nonfinite`, and `precision.loss_scale` if losses are scaled.
/// Everything else shapes the plan or the numerics key.
class RunSettings {
public:
  explicit RunSettings(const OptimizerSettings &ofModule) : ofModule(ofModule) {}

  /// Takes a value for a key. Throws usageError, and changes nothing, if the key is unknown or fixed when a module is
  /// compiled, or if the value is none of the key.
  void set(const std::string &key, const std::string &value);
  /// Makes inherit() leave a key as the module has it, and all keys under it ("optimizer.schedule").
  void keep(const std::string &key) { kept.push_back(key); }
  /// Takes the values of the run that goes on, except for keys that are set or kept here. Those that have no meaning
  /// beside them are left out: numbers of another schedule.
  void inherit(const SettingTexts &former);
  /// Throws usageError if a key that is set has no meaning beside the others, or if values contradict each other.
  void check() const;

  /// Takes these values instead of all so far.
  void replace(const SettingTexts &others);
  /// What is in effect. Valid after check().
  OptimizerSettings settings() const;
  /// What set() and inherit() took.
  const SettingTexts &given() const { return texts; }
  /// What a run that goes on inherits: all but `training.nonfinite`, which each run decides by itself.
  SettingTexts handedOn() const;

private:
  OptimizerSettings ofModule;
  SettingTexts texts;
  std::vector<std::string> kept;
};

/// Throws usageError if no run may change this key, whatever the module.
void refuseFixedKey(const std::string &key);

/// All settings that a run may change, by key, in the order of docs/strategy.md.
std::vector<std::pair<std::string, std::string>> describeSettings(const OptimizerSettings &settings);

} // namespace plc::runtime

#endif

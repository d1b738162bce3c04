//===- OptimizerKeys.h - numbers of an optimizer by key ---------*- C++ -*-===//
// One table for strategies, manifests and settings of a run.
#ifndef PLC_MODULE_OPTIMIZERKEYS_H
#define PLC_MODULE_OPTIMIZERKEYS_H

#include "plc/Module/OptimizerSettings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace plc::module {

/// A number of `OptimizerSettings` with its limits. The default is that of the struct; one below `least`, or equal to
/// an exclusive `least`, stands for none.
struct OptimizerKey {
  const char *path; ///< in a strategy: "optimizer.schedule.total"
  std::variant<int64_t OptimizerSettings::*, double OptimizerSettings::*> member;
  double least;
  bool isExclusive = false; ///< a value must be more than `least`
  unsigned field = 0;       ///< the RateField that it belongs to; 0: every schedule has it
  double most = 1e18;

  /// In the manifest: what follows the last point.
  std::string_view name() const { return std::string_view(path).substr(std::string_view(path).rfind('.') + 1); }
  bool isInteger() const { return member.index() == 0; }
  /// Whether the key has a meaning under this schedule.
  bool isOf(RateSchedule schedule) const { return !field || (rowOf(schedule).fields & field); }
  double valueIn(const OptimizerSettings &settings) const {
    return std::visit([&](auto at) { return static_cast<double>(settings.*at); }, member);
  }
};

/// Keys that belong to no kind of optimizer, in the order of docs/strategy.md.
std::span<const OptimizerKey> optimizerKeys();
/// Those of a schedule, except `kind`.
std::span<const OptimizerKey> scheduleKeys();
/// The key with this path; null if there is none.
const OptimizerKey *findOptimizerKey(std::string_view path);

/// A value that contradicts others or the model: its key, and a sentence that names both.
struct SettingConflict {
  std::string path, text;
};

/// The first conflict among values that are each within their limits: a number that the schedule reads and that is not
/// given, or steps that do not fit into others. Nullopt if there is none.
std::optional<SettingConflict> findConflict(const OptimizerSettings &settings);

} // namespace plc::module

#endif

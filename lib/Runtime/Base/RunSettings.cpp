// Checks and applies what a run sets of a compiled model.
#include "plc/Runtime/Base/RunSettings.h"

#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Support/Nearest.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace plc::runtime {

using module::OptimizerKey;

namespace {

constexpr const char *scheduleKind = "optimizer.schedule.kind", *emaKey = "optimizer.ema",
                     *nonFiniteKey = "training.nonfinite", *lossScaleKey = "precision.loss_scale";

/// Words in place of a number: clips nothing; follows overflows.
constexpr const char *noLimit = "none", *dynamicScale = "dynamic";

/// Keys that a run cannot set, by the beginning of their path, and why.
constexpr std::pair<std::string_view, const char *> fixedKeys[] = {
    {"optimizer.kind", "it decides which tensors the plan keeps beside each parameter"},
    {"optimizer.layer_decay", "it decides which parameters have settings of their own"},
    {"optimizer.decay_matrices_only", "it decides which parameters have settings of their own"},
    {"gradient.", "[gradient] decides what a step sums and in which order, which the numerics key stands for"},
    {"precision.", "[precision] decides the type of every number, which the numerics key stands for"},
    {"parallelism.", "[parallelism] shapes the plan"},
    {"checkpoint.", "[checkpoint] shapes the plan"},
    {"memory.", "[memory] shapes the plan"},
    {"machine.", "of [machine] only 'machine.threads_per_stage' and 'machine.transport' can be set for a run"},
    {"preset", "it stands for keys that shape the plan"},
    {"mode", "it shapes the plan"},
    {"fusion", "it shapes the plan"},
    {"profiling", "the module's ranks are timed or not"},
};

std::string digitsOf(double value) { return shortestDigits(ElementType::F64, value); }

/// As `plc-compile --set` takes it: a word may stand in quotes.
std::string wordOf(const std::string &text) {
  bool isQuoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

template <class Number>
Number parse(const std::string &key, const std::string &text) {
  Number value{};
  const char *begin = text.data() + text.starts_with('+'), *end = text.data() + text.size();
  auto [last, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || last != end)
    throw usageError("found '" + text + "' for key '" + key + "', expected " +
                     (std::is_integral_v<Number> ? "an integer" : "a number"));
  return value;
}

/// Throws unless a number, given as `text`, is within limits; NaN is in none.
void checkLimits(const std::string &key, const std::string &text, double value, const module::Limits &limits) {
  if (limits.allow(value))
    return;
  bool isMore = limits.isMostExclusive ? value >= limits.most : value > limits.most;
  throw usageError("found '" + text + "' for key '" + key + "', expected " +
                   (isMore ? (limits.isMostExclusive ? "less than " : "at most ") + digitsOf(limits.most)
                           : (limits.isLeastExclusive ? "more than " : "at least ") + digitsOf(limits.least)));
}

template <class Kind>
Kind parseWord(const std::string &key, const std::string &text) {
  if (auto kind = parseChoice<Kind>(wordOf(text)))
    return *kind;
  throw usageError("found '" + text + "' for key '" + key + "', expected " + listChoices<Kind>("'", " or "));
}

/// The schedules that give a key a meaning: "'optimizer.schedule.kind = "linear" or "cosine"'".
std::string conditionOf(const char *key, const std::vector<std::string> &values) {
  std::string text = "'" + std::string(key) + " = ";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? " or \"" : "\"") + values[i] + "\"";
  return text + "'";
}

void refuseFixed(const std::string &key) {
  for (auto [begin, reason] : fixedKeys)
    if (key.starts_with(begin))
      throw usageError("key '" + key + "' is fixed when a module is compiled: " + reason);
}

[[noreturn]] void refuse(const std::string &key, const OptimizerSettings &settings) {
  refuseFixed(key);
  // Names alone are compared: keys of one table begin alike, however much they differ.
  auto nameIn = [](std::string_view path) { return path.substr(path.rfind('.') + 1); };
  std::vector<std::string> ofRules;
  for (const module::OptimizerSetting &each : settings.settings)
    ofRules.push_back(each.key());
  Nearest nearest(nameIn(key));
  std::string all;
  auto offer = [&](std::string_view path) {
    nearest.offer(nameIn(path), path);
    all += (all.empty() ? "" : ", ") + std::string(path);
  };
  for (const OptimizerKey &each : module::optimizerKeys())
    offer(each.path);
  for (const std::string &each : ofRules)
    offer(each);
  for (const char *each : {scheduleKind, nonFiniteKey, "machine.threads_per_stage", "machine.transport"})
    offer(each);
  throw usageError("unknown key '" + key + "'" +
                   (nearest.found().empty() ? "; a run by '" + settings.kind + "' may set " + all : nearest.text()));
}

/// Sets a key that belongs to every kind.
bool setOwn(const std::string &key, const std::string &value, OptimizerSettings &settings) {
  const OptimizerKey *found = module::findOptimizerKey(key);
  if (!found)
    return false;
  if (key == emaKey && !settings.keepsAverages())
    throw usageError("key '" + key + "' is fixed when a module is compiled: its plan has no memory for averages");
  std::visit(
      [&]<class Number>(Number OptimizerSettings::*member) {
        if (found->isExclusive && wordOf(value) == noLimit) { // as if it were not given
          settings.*member = OptimizerSettings().*member;
          return;
        }
        Number number = parse<Number>(key, value);
        checkLimits(key, value, static_cast<double>(number), {found->least, found->most, found->isExclusive});
        if (key == emaKey && number == 0)
          throw usageError("found '" + value + "' for key '" + key +
                           "', expected more than 0: the plan has memory for averages");
        settings.*member = number;
      },
      found->member);
  return true;
}

/// Sets a number that the optimizer's rules declare.
bool setOfRules(const std::string &key, const std::string &value, OptimizerSettings &settings) {
  for (module::OptimizerSetting &setting : settings.settings) {
    if (key != setting.key())
      continue;
    auto number = parse<double>(key, value);
    checkLimits(key, value, number, setting.limits);
    setting.value = number;
    return true;
  }
  return false;
}

/// The limits of a number that a group has of its own.
module::Limits limitsOf(const std::string &name, const module::ParameterGroup &group,
                        const OptimizerSettings &settings) {
  for (const module::OptimizerSetting &setting : group.kind.empty() ? settings.settings : group.settings)
    if (setting.name == name)
      return setting.limits;
  const OptimizerKey &key = *module::findOptimizerKey("optimizer." + name);
  return {key.least, key.most, key.isExclusive};
}

/// Sets a number that a group has of its own: "optimizer.group.0.lr".
bool setOfGroup(const std::string &key, const std::string &value, OptimizerSettings &settings) {
  for (size_t group = 0; group < settings.groups.size(); ++group)
    for (auto &[name, number] : settings.groups[group].values) {
      if (key != module::groupKey(group, name))
        continue;
      auto given = parse<double>(key, value);
      checkLimits(key, value, given, limitsOf(name, settings.groups[group], settings));
      number = given;
      return true;
    }
  if (key.starts_with("optimizer.group."))
    throw usageError("key '" + key + "' is fixed when a module is compiled: the group has no such number of its own, " +
                     "which a run could change");
  return false;
}

bool setLossScale(const std::string &key, const std::string &value, OptimizerSettings &settings) {
  if (key != lossScaleKey || !settings.scalesLoss)
    return false;
  if (wordOf(value) == dynamicScale) {
    settings.lossScale = 0;
    return true;
  }
  auto number = parse<double>(key, value);
  checkLimits(key, value, number, {.least = 0, .isLeastExclusive = true});
  settings.lossScale = number;
  return true;
}

void setKey(const std::string &key, const std::string &value, OptimizerSettings &settings) {
  if (key == scheduleKind)
    settings.schedule = parseWord<RateSchedule>(key, value);
  else if (key == nonFiniteKey)
    settings.nonFinite = parseWord<NonFiniteStep>(key, value);
  else if (!setOwn(key, value, settings) && !setOfRules(key, value, settings) && !setOfGroup(key, value, settings) &&
           !setLossScale(key, value, settings))
    refuse(key, settings);
}

/// Whether a key has a meaning under the schedule.
bool hasMeaning(const std::string &key, RateSchedule schedule) {
  const OptimizerKey *found = module::findOptimizerKey(key);
  return !found || found->isOf(schedule);
}

} // namespace

void refuseFixedKey(const std::string &key) {
  if (key != lossScaleKey) // some modules have one
    refuseFixed(key);
}

void RunSettings::set(const std::string &key, const std::string &value) {
  OptimizerSettings probe = ofModule;
  setKey(key, value, probe);
  texts[key] = value;
}

void RunSettings::inherit(const SettingTexts &former) {
  RunSettings all = *this;
  auto isKept = [&](const std::string &key) {
    return std::ranges::any_of(kept,
                               [&](const std::string &each) { return key == each || key.starts_with(each + "."); });
  };
  for (const auto &[key, value] : former)
    if (!texts.count(key) && !isKept(key))
      all.set(key, value);
  const RateSchedule schedule = all.settings().schedule;
  std::erase_if(all.texts,
                [&](const auto &each) { return !texts.count(each.first) && !hasMeaning(each.first, schedule); });
  texts = std::move(all.texts);
}

void RunSettings::replace(const SettingTexts &others) {
  texts.clear();
  for (const auto &[key, value] : others)
    set(key, value);
}

SettingTexts RunSettings::handedOn() const {
  SettingTexts others = texts;
  others.erase(nonFiniteKey);
  return others;
}

OptimizerSettings RunSettings::settings() const {
  OptimizerSettings settings = ofModule;
  for (const auto &[key, value] : texts)
    setKey(key, value, settings);
  return settings;
}

void RunSettings::check() const {
  const OptimizerSettings now = settings();
  for (const auto &[key, value] : texts)
    if (!hasMeaning(key, now.schedule)) {
      const OptimizerKey &row = *module::findOptimizerKey(key);
      throw usageError("'" + key + "' belongs to " +
                       conditionOf(scheduleKind, namesOfChoice<RateSchedule>([&](const RateScheduleRow &schedule) {
                                     return (schedule.fields & row.field) != 0;
                                   })) +
                       " and would be ignored under \"" + nameOfChoice(now.schedule) + "\"");
    }
  if (std::optional<module::SettingConflict> conflict = module::findConflict(now))
    throw usageError(conflict->text);
}

std::vector<std::pair<std::string, std::string>> describeSettings(const OptimizerSettings &settings) {
  std::vector<std::pair<std::string, std::string>> described;
  for (const OptimizerKey &key : module::optimizerKeys())
    if (key.isOf(settings.schedule))
      described.emplace_back(key.path, digitsOf(key.valueIn(settings)));
  described.emplace_back(scheduleKind, nameOfChoice(settings.schedule));
  for (const module::OptimizerSetting &setting : settings.settings)
    described.emplace_back(setting.key(), digitsOf(setting.value));
  for (size_t group = 0; group < settings.groups.size(); ++group)
    for (const auto &[name, value] : settings.groups[group].values)
      described.emplace_back(module::groupKey(group, name), digitsOf(value));
  described.emplace_back(nonFiniteKey, nameOfChoice(settings.nonFinite));
  if (settings.scalesLoss)
    described.emplace_back(lossScaleKey, settings.lossScale ? digitsOf(settings.lossScale) : dynamicScale);
  return described;
}

} // namespace plc::runtime

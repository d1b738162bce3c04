//===- OptimizerKeys.cpp - numbers of an optimizer by key -----------------===//
#include "plc/Module/OptimizerKeys.h"

#include <algorithm>
#include <charconv>

namespace plc::module {

namespace {

using S = OptimizerSettings;

constexpr OptimizerKey table[] = {
    {"optimizer.lr", &S::lr, 0},
    {"optimizer.schedule.warmup", &S::warmup, 0, false, Warmup},
    {"optimizer.schedule.total", &S::total, 1, false, Total},
    {"optimizer.schedule.floor", &S::floor, 0, false, Floor, 1},
    {"optimizer.schedule.period", &S::period, 1, false, Periods},
    {"optimizer.schedule.period_factor", &S::periodFactor, 1, false, Periods},
    {"optimizer.schedule.power", &S::power, 0, true, Power},
    {"optimizer.schedule.decay", &S::decay, 1, false, Decay},
    {"optimizer.schedule.pct_start", &S::pctStart, 0, false, Cycle, 1},
    {"optimizer.schedule.div_factor", &S::divFactor, 0, true, Cycle},
    {"optimizer.schedule.final_div_factor", &S::finalDivFactor, 0, true, Cycle},
    {"optimizer.clip_norm", &S::clipNorm, 0, true},
    {"optimizer.clip_value", &S::clipValue, 0, true},
    {"optimizer.ema", &S::ema, 0},
};

/// The shortest digits that read back as this number.
std::string digitsOf(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

} // namespace

std::span<const OptimizerKey> optimizerKeys() { return table; }

std::span<const OptimizerKey> scheduleKeys() {
  // They stand together, and no other key depends on the schedule.
  auto isOfSchedule = [](const OptimizerKey &key) { return key.field != 0; };
  const OptimizerKey *first = std::ranges::find_if(table, isOfSchedule);
  return {first, std::find_if_not(first, std::end(table), isOfSchedule)};
}

const OptimizerKey *findOptimizerKey(std::string_view path) {
  for (const OptimizerKey &key : table)
    if (key.path == path)
      return &key;
  return nullptr;
}

std::optional<SettingConflict> findConflict(const OptimizerSettings &settings) {
  const RateScheduleRow &schedule = rowOf(settings.schedule);
  auto isNot = [&](const char *given) {
    return SettingConflict{"optimizer.schedule.kind", "'optimizer.schedule.kind' is \"" + std::string(schedule.name) +
                                                          "\" but '" + given + "' is not given"};
  };
  if (!(settings.ema < 1))
    return SettingConflict{"optimizer.ema",
                           "'optimizer.ema' is " + digitsOf(settings.ema) + " but must be less than 1"};
  auto steps = [](int64_t count) { return std::to_string(count); };
  if (schedule.obeys(Total) && !settings.total)
    return isNot("optimizer.schedule.total");
  if (schedule.obeys(Periods) && !settings.period)
    return isNot("optimizer.schedule.period");
  if (schedule.obeys(Decay) && !settings.decay)
    return isNot("optimizer.schedule.decay");
  const int64_t warmup = schedule.obeys(Warmup) ? settings.warmup : 0;
  if (schedule.obeys(Total) && settings.total <= warmup)
    return SettingConflict{"optimizer.schedule.total", "'optimizer.schedule.total' is " + steps(settings.total) +
                                                           " but must be more than 'optimizer.schedule.warmup', " +
                                                           steps(warmup)};
  if (schedule.obeys(Decay) && settings.decay > settings.total - warmup)
    return SettingConflict{"optimizer.schedule.decay", "'optimizer.schedule.decay' is " + steps(settings.decay) +
                                                           " but must be at most " + steps(settings.total - warmup) +
                                                           ": 'optimizer.schedule.total' is " + steps(settings.total) +
                                                           ", 'optimizer.schedule.warmup' is " + steps(warmup)};
  return std::nullopt;
}

} // namespace plc::module

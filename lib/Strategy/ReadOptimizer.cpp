//===- ReadOptimizer.cpp - the keys of [optimizer] as settings ------------===//
#include "plc/Strategy/ReadOptimizer.h"

#include "plc/Module/OptimizerKeys.h"
#include "plc/Support/Precisions.h"

using namespace plc;

/// Sets the numbers that no kind of optimizer owns; `valueAt` returns the value of a key.
static void readNumbers(auto valueAt, module::OptimizerSettings &settings) {
  for (const module::OptimizerKey &key : module::optimizerKeys())
    std::visit(
        [&]<typename Number>(Number module::OptimizerSettings::*member) {
          settings.*member = std::get<Number>(valueAt(key.path));
        },
        key.member);
}

module::OptimizerSettings plc::strategy::numbersOf(const std::map<std::string, Setting> &values) {
  module::OptimizerSettings settings;
  settings.schedule = valueOf(values, keys::optimizerScheduleKind);
  readNumbers([&](const char *path) { return values.find(path)->second.value; }, settings);
  return settings;
}

module::OptimizerSettings plc::strategy::optimizerOf(const Strategy &strategy) {
  module::OptimizerSettings settings;
  settings.kind = strategy.optimizer().name;
  readNumbers([&](const char *path) { return strategy.valueAt(path); }, settings);
  settings.settings = strategy.optimizer().settings;
  for (module::OptimizerSetting &setting : settings.settings)
    setting.value = std::get<double>(strategy.valueAt(setting.key()));
  settings.states = strategy.optimizer().states;
  settings.schedule = strategy.get(keys::optimizerScheduleKind);
  settings.nonFinite = strategy.get(keys::trainingNonfinite);
  settings.scalesLoss = rowOf(strategy.get(keys::precisionCompute)).scalesLoss;
  settings.lossScale = strategy.get(keys::precisionLossScale);
  return settings;
}

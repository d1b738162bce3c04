//===- ReadOptimizer.cpp - the keys of [optimizer] as settings ------------===//
#include "plc/Strategy/ReadOptimizer.h"

#include "plc/Module/ParameterGroups.h"
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

static std::vector<module::ParameterGroup> groupsOf(const Strategy &strategy) {
  std::vector<module::ParameterGroup> groups;
  auto pathOf = [&](const std::string &name) { return module::groupKey(groups.size(), name); };
  while (strategy.hasKey(pathOf(module::matchName))) {
    module::ParameterGroup group{std::get<std::string>(strategy.valueAt(pathOf(module::matchName))),
                                 {},
                                 std::get<bool>(strategy.valueAt(pathOf(module::frozenName)))};
    const module::OptimizerHeader &optimizer = strategy.optimizerOf(groups.size());
    if (optimizer.name != strategy.optimizer().name) {
      group.kind = optimizer.name;
      group.settings = optimizer.settings;
    }
    std::vector<std::string> names{module::lrName, module::clipNormName, module::clipValueName};
    for (const module::OptimizerSetting &setting : optimizer.settings)
      names.push_back(setting.name);
    for (const std::string &name : names)
      if (strategy.isGiven(pathOf(name)))
        group.values.emplace_back(name, std::get<double>(strategy.valueAt(pathOf(name))));
    groups.push_back(std::move(group));
  }
  return groups;
}

module::OptimizerSettings plc::strategy::optimizerOf(const Strategy &strategy) {
  module::OptimizerSettings settings;
  settings.kind = strategy.optimizer().name;
  readNumbers([&](const char *path) { return strategy.valueAt(path); }, settings);
  settings.settings = strategy.optimizer().settings;
  for (module::OptimizerSetting &setting : settings.settings)
    setting.value = std::get<double>(strategy.valueAt(setting.key()));
  for (const NamedOptimizer &each : strategy.optimizers())
    for (module::OptimizerForm form : each.header.forms) {
      form.kind = each.header.name;
      settings.forms.push_back(std::move(form));
    }
  settings.layerDecay = strategy.get(keys::optimizerLayerDecay);
  settings.decayMatricesOnly = strategy.get(keys::optimizerDecayMatricesOnly);
  settings.groups = groupsOf(strategy);
  settings.schedule = strategy.get(keys::optimizerScheduleKind);
  settings.nonFinite = strategy.get(keys::trainingNonfinite);
  settings.scalesLoss = rowOf(strategy.get(keys::precisionCompute)).scalesLoss;
  settings.lossScale = strategy.get(keys::precisionLossScale);
  return settings;
}

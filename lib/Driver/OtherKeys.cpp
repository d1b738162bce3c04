//===- OtherKeys.cpp - keys that a joint plan does not vary ---------------===//
#include "OtherKeys.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Planner/Remat/Grain.h"
#include "plc/Strategy/Choices.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace mlir;
using namespace plc::driver;
using namespace plc::planner;
using plc::strategy::Counts;
using plc::strategy::Strategy;

namespace {

/// Sizes that are tried, each alone and then together. Each takes a search; the largest few have most of the bytes. Not
/// tuned.
constexpr size_t mostSizes = 3;

/// Each `try` method sets the keys of one idea, and narrows all others to values near the chosen plan.
class OtherKeys {
public:
  OtherKeys(const Models &models, const Program &program, llvm::SourceMgr &sources, const Strategy &given,
            AutomaticPlan &plan)
      : models(models), model(models.ofBatch), program(program), sources(sources), given(given), plan(plan),
        chosen(*plan.chosen), ranks(plan.mostRanks) {}

  void run() {
    if (ranks > 1) {
      tryGroups();
      trySizes();
      tryEquations();
      tryWorkers();
    }
    tryMicroBatches();
    auto isFaster = [](const AutomaticPlan::Other &a, const AutomaticPlan::Other &b) { return a.ns < b.ns; };
    std::stable_sort(plan.others.begin(), plan.others.end(), isFaster);
  }

private:
  struct Setting {
    const char *key;
    plc::strategy::Value value;
    bool isReported = true; ///< it is offered to the user; else it only narrows the search
  };

  /// The step with these settings; nothing if there is no plan.
  std::optional<int64_t> stepUnder(const std::vector<Setting> &settings) {
    Strategy tried = given;
    for (const Setting &setting : settings)
      tried.choose(setting.key, setting.value, /*isOwn=*/true);
    AutomaticPlan found;
    if (planAutomatically(models, plc::PhaseKind::ein, program, sources, tried, found, llvm::nulls(),
                          /*isNarrow=*/true))
      return std::nullopt;
    return found.chosen->stepNs;
  }

  /// Adds the settings to the plan's report, if the gain is worth it.
  void offer(const std::vector<Setting> &settings, std::optional<int64_t> ns, bool changesBits) {
    if (!ns || *ns * 100 > plan.chosen->stepNs * (100 - worthwhilePercent))
      return;
    std::string sets;
    for (const Setting &setting : settings)
      if (setting.isReported)
        sets += (sets.empty() ? "" : " ") + textOf(setting);
    plan.others.push_back({std::move(sets), *ns, changesBits});
  }

  void tryKeys(const std::vector<Setting> &settings, bool changesBits) {
    offer(settings, stepUnder(settings), changesBits);
  }

  /// A setting as an option for a shell.
  static std::string textOf(const Setting &setting) {
    if (const auto *counts = std::get_if<Counts>(&setting.value)) {
      std::vector<std::string> texts;
      for (const auto &[name, parts] : *counts)
        texts.push_back(name + "=" + std::to_string(parts));
      return std::string("--set '") + setting.key + "={" + llvm::join(texts, ",") + "}'";
    }
    std::string text = plc::strategy::print(setting.value);
    llvm::erase(text, '"');
    return std::string("--set ") + setting.key + "=" + text;
  }

  template <typename T>
  bool isFree(plc::strategy::TypedKey<T> key) const {
    return !given.isOwn(key);
  }
  Setting narrowTo(const char *key, int64_t value) const { return {key, value, /*isReported=*/false}; }

  void tryGroups() {
    if (!isFree(plc::keys::gradientLanes) || !isFree(plc::keys::parallelismReplicas) ||
        program.entry != plc::ProgramKind::train)
      return;
    // Each replica needs a group of its own, and each group a sample.
    int64_t batch = (*model.getOps<plc::ein::ModelOp>().begin()).getBatch(), groups = std::min(ranks, batch);
    if (groups < 2)
      return;
    std::vector<Setting> settings = {{plc::keys::gradientLanes.path, groups},
                                     narrowTo(plc::keys::parallelismReplicas.path, groups)};
    if (!isFree(plc::keys::parallelismMicroBatches) && given.get(plc::keys::parallelismMicroBatches) % groups)
      settings.push_back({plc::keys::parallelismMicroBatches.path, groups});
    tryKeys(settings, /*changesBits=*/true);
  }

  /// Sizes of parameters that all ranks can divide, those of most bytes first.
  std::vector<std::string> sizesByBytes() {
    std::map<std::string, int64_t> bytes;
    for (auto param : model.getOps<plc::ein::ParamOp>()) {
      if (!param.getSizes())
        continue;
      auto type = cast<RankedTensorType>(param.getType());
      for (auto [axis, size] : llvm::enumerate(param.getSizes()->getAsValueRange<StringAttr>()))
        if (!size.empty() && type.getDimSize(axis) % ranks == 0)
          bytes[size.str()] += type.getNumElements();
    }
    std::vector<std::string> sizes;
    for (const auto &[size, count] : bytes)
      sizes.push_back(size);
    llvm::stable_sort(sizes, [&](auto &a, auto &b) { return bytes[a] > bytes[b]; });
    sizes.resize(std::min(sizes.size(), mostSizes));
    return sizes;
  }

  /// Finds the best size alone, and then adds others as long as they help.
  void trySizes() {
    if (!isFree(plc::keys::parallelismShard) || !isFree(plc::keys::parallelismShardRanks))
      return;
    auto dividing = [&](const Counts &counts) {
      return std::vector<Setting>{{plc::keys::parallelismShard.path, counts},
                                  narrowTo(plc::keys::parallelismShardRanks.path, ranks),
                                  narrowTo(plc::keys::parallelismMicroBatches.path, chosen.microBatches)};
    };
    std::vector<std::pair<int64_t, std::string>> alone;
    for (const std::string &size : sizesByBytes())
      if (std::optional<int64_t> ns = stepUnder(dividing({{size, ranks}})))
        alone.emplace_back(*ns, size);
    llvm::stable_sort(alone, [](auto &a, auto &b) { return a.first < b.first; });
    Counts best;
    int64_t bestNs = 0;
    for (const auto &[ns, size] : alone) {
      Counts more = best;
      more.emplace(size, ranks);
      std::optional<int64_t> moreNs = best.empty() ? ns : stepUnder(dividing(more));
      if (!moreNs || (!best.empty() && *moreNs >= bestNs))
        continue;
      best = std::move(more);
      bestNs = *moreNs;
    }
    if (best.empty())
      return;
    // The comparisons used the strategy's schedule. The best sizes are then searched once with the schedule that waits
    // least.
    std::vector<Setting> settings = dividing(best);
    if (isFree(plc::keys::parallelismSchedule))
      settings.push_back({plc::keys::parallelismSchedule.path, std::string(plc::nameOfChoice(ScheduleKind::automatic)),
                          /*isReported=*/false});
    offer(settings, stepUnder(settings), /*changesBits=*/true);
  }

  void tryEquations() {

    if (!isFree(plc::keys::parallelismGrain) || !isFree(plc::keys::parallelismStages))
      return;
    tryKeys({{plc::keys::parallelismGrain.path, std::string(plc::nameOfChoice(Grain::equation))},
             narrowTo(plc::keys::parallelismMicroBatches.path, std::max(chosen.microBatches, ranks)),
             narrowTo(plc::keys::parallelismStages.path, ranks)},
            /*changesBits=*/false);
  }

  void tryWorkers() {
    if (!isFree(plc::keys::machineThreadsPerStage))
      return;
    int64_t microBatches = isFree(plc::keys::parallelismMicroBatches) ? given.get(plc::keys::gradientLanes)
                                                                      : given.get(plc::keys::parallelismMicroBatches);
    tryKeys({{plc::keys::machineRanks.path, int64_t(1)},
             {plc::keys::machineThreadsPerStage.path, ranks},
             narrowTo(plc::keys::parallelismMicroBatches.path, microBatches)},
            /*changesBits=*/false);
  }

  void tryMicroBatches() {
    if (isFree(plc::keys::parallelismMicroBatches) || chosen.replicas * chosen.stages == 1)
      return;
    int64_t count = given.get(plc::keys::parallelismMicroBatches),
            batch = (*model.getOps<plc::ein::ModelOp>().begin()).getBatch();
    for (int64_t other : {count * 2, count * 4})
      if (other <= batch)
        tryKeys({{plc::keys::parallelismMicroBatches.path, other},
                 narrowTo(plc::keys::parallelismStages.path, chosen.stages)},
                /*changesBits=*/true);
  }

  const Models models;
  ModuleOp model; // for one batch
  Program program;
  llvm::SourceMgr &sources;
  const Strategy &given;
  AutomaticPlan &plan;
  const AutomaticPlan::Row chosen;
  const int64_t ranks;
};

} // namespace

void plc::driver::tryOtherKeys(const Models &models, const Program &program, llvm::SourceMgr &sources,
                               const Strategy &given, AutomaticPlan &plan) {
  OtherKeys(models, program, sources, given, plan).run();
}

//===- Workloads.cpp - workloads that a strategy allows -------------------===//
#include "Workloads.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Driver/MachineModel.h"
#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Remat/Grain.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Support/ExitCodes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace plc::driver;
using namespace plc::planner;
using plc::strategy::Strategy;
namespace keys = plc::keys;
namespace search = plc::search;

int Workloads::make(const search::Machine &machine, llvm::raw_ostream &errors) {
  std::string text;
  int code = 0;
  for (int64_t microBatches : microBatchCounts())
    for (Way &way : waysOf(microBatches)) {
      std::string wrong;
      llvm::raw_string_ostream stream(wrong);
      Strategy chosen = strategyOf(way);
      Lowering lowering(models, chosen, sources, nullptr, stream, done);
      way.module = lowering.lower(program, lastOfModel);
      if (!way.module) {
        code = code ? code : lowering.exitCode();
        text = text.empty() ? wrong : text; // the first error is reported
        continue;
      }
      plc::language::PassErrors reported(sources, *way.module->getContext(), stream, strategy.locations());
      FailureOr<search::Workload> workload = plc::plan::workloadOf(*way.module, optionsOf(chosen));
      if (failed(workload)) {
        code = code ? code : reported.getExitCode();
        text = text.empty() ? wrong : text;
        continue;
      }
      if (llvm::is_contained(workloads, *workload))
        continue; // equal to another: nothing to precompute, or no long loops
      workloads.push_back(std::move(*workload));
      ways.push_back(std::move(way));
    }
  addShared(machine);
  if (!workloads.empty() || (!unshared.empty() && !isJoint))
    return mayRecompute() ? int(plc::Done) : applyPolicy(errors);
  errors << (text.empty() ? unshared : text);
  return code ? code : int(plc::NoPlan);
}

// Puts the workloads with shared stages first, for each count of shards and each rank map of groups. The whole ones
// stay only if one rank per stage is allowed.
void Workloads::addShared(const search::Machine &machine) {
  std::vector<int64_t> shardCounts = this->shardCounts();
  std::vector<search::Workload> whole = std::exchange(workloads, {});
  std::vector<Way> wholeWays = std::exchange(ways, {});
  for (size_t index = 0; index < whole.size(); ++index)
    for (int64_t shards : shardCounts)
      for (const std::vector<int32_t> &groupOf : groupMaps(shards, whole[index].units.size()))
        share(machine, whole[index], wholeWays[index], shards, groupOf);
  if (shardCounts.front() > 1)
    return;
  std::move(whole.begin(), whole.end(), std::back_inserter(workloads));
  std::move(wholeWays.begin(), wholeWays.end(), std::back_inserter(ways));
}

// Adds one workload whose stages are cut and divided. A rank without work is no error here: the first such error is
// kept for the case that no workload is left.
void Workloads::share(const search::Machine &machine, const search::Workload &whole, const Way &way, int64_t shards,
                      const std::vector<int32_t> &groupOf) {
  search::Sharing sharing{shards, givenCut(), groupOf};
  if (sharing.cut.empty())
    sharing.cut = search::cutUnits(whole, machine, groupOf);
  std::string text;
  llvm::raw_string_ostream stream(text);
  ModuleOp module = way.module.get();
  plc::language::PassErrors silent(sources, *module.getContext(), stream, strategy.locations());
  FailureOr<search::Workload> workload = plc::plan::workloadOf(module, optionsOf(strategyOf(way)), sharing);
  if (failed(workload)) {
    unshared = unshared.empty() ? text : unshared;
    return;
  }
  workloads.push_back(std::move(*workload));
  ways.push_back({way.microBatches, way.recomputesLoops, way.precomputes, OwningOpRef<ModuleOp>(module.clone())});
}

// The counts of ranks that may share a stage. They divide the number of shards, so that each rank has equally many.
std::vector<int64_t> Workloads::shardCounts() const {
  const auto &shard = strategy.get(keys::parallelismShard);
  if (shard.empty())
    return {1};
  int64_t parts = shard.begin()->second;
  if (!isJoint || !isFree(keys::parallelismShardRanks))
    return {strategy.get(keys::parallelismShardRanks) ? strategy.get(keys::parallelismShardRanks) : parts};
  std::vector<int64_t> counts;
  for (int64_t shards = 1; shards <= std::min(parts, mostRanks); ++shards)
    if (parts % shards == 0)
      counts.push_back(shards);
  return counts;
}

// Rank maps of groups: one stage for each group (01), or two in turn (0101). Without shards there are none.
std::vector<std::vector<int32_t>> Workloads::groupMaps(int64_t shards, size_t units) const {
  std::vector<std::vector<int32_t>> maps;
  if (shards == 1)
    return maps;
  if (!isJoint) {
    maps.push_back(givenMap());
    return maps;
  }
  for (int64_t groups = 1; groups <= mostRanks / shards; ++groups)
    for (int64_t chunks : {1, 2}) {
      std::vector<int32_t> &map = maps.emplace_back();
      for (int64_t stage = 0; stage < groups * chunks; ++stage)
        map.push_back(int32_t(stage % groups));
      bool isAllowed = map.size() <= units &&
                       (isFree(keys::parallelismStages) || groups * chunks == strategy.get(keys::parallelismStages)) &&
                       (isFree(keys::parallelismChunks) || chunks == strategy.get(keys::parallelismChunks)) &&
                       (groups > 1 || chunks == 1);
      if (!isAllowed)
        maps.pop_back();
    }
  return maps;
}

std::vector<int32_t> Workloads::givenMap() const {
  const auto &rankMap = strategy.get(keys::parallelismPlace);
  std::vector<int32_t> map(rankMap.begin(), rankMap.end());
  for (int64_t stage = int64_t(map.size()); rankMap.empty() && stage < strategy.get(keys::parallelismStages); ++stage)
    map.push_back(int32_t(stage));
  return map;
}

std::vector<int32_t> Workloads::givenCut() const {
  std::vector<int32_t> stages;
  int32_t stage = 0;
  for (int64_t count : strategy.get(keys::parallelismBalance))
    stages.insert(stages.end(), size_t(count), stage++);
  return stages;
}

// Under a budget, precomputed values and saved iterations of loops may cost more bytes than their time is worth. So
// both ways of each are workloads.
std::vector<Workloads::Way> Workloads::waysOf(int64_t microBatches) const {
  using plc::strategy::LoopValues;
  bool isOpen = strategy.get(keys::checkpointLoops) == LoopValues::policy && mayRecompute();
  std::vector<Way> all;
  for (bool recomputes : {false, true})
    for (bool precomputes : {true, false}) {
      if ((recomputes && !isOpen) || (!precomputes && !mayPrecompute(program, strategy)))
        continue;
      Way &way = all.emplace_back();
      way.microBatches = microBatches;
      if (isOpen)
        way.recomputesLoops = recomputes;
      if (mayPrecompute(program, strategy))
        way.precomputes = precomputes;
    }
  return all;
}

Strategy Workloads::strategyOf(const Way &way) const {
  using plc::strategy::LoopValues;
  Strategy chosen = strategy;
  if (way.microBatches != strategy.get(keys::parallelismMicroBatches))
    chosen.choose(keys::parallelismMicroBatches, way.microBatches);
  if (way.recomputesLoops)
    chosen.choose(keys::checkpointLoops, *way.recomputesLoops ? LoopValues::recompute : LoopValues::keep);
  if (way.precomputes)
    chosen.choose(keys::memoryStrategy, *way.precomputes ? MemoryStrategy::cached : MemoryStrategy::pooled);
  return chosen;
}

bool Workloads::mayRecompute() const {
  return isTraining() && program.recomputes && strategy.isGiven(keys::memoryBudget) &&
         (solvesBudget(program, strategy) || (isJoint && !strategy.isOwn(keys::checkpointPolicy)));
}

plc::plan::WorkloadOptions Workloads::optionsOf(const Strategy &chosen) const {
  plc::plan::WorkloadOptions options;
  options.grain = strategy.get(keys::parallelismGrain);
  options.prepares = prepares(chosen);
  options.threads = rankThreads(strategy);
  if (isTraining())
    std::tie(options.moments, options.averages) = std::pair(optimizerMoments(strategy), keepsAverages(strategy));
  options.stepsMeet = plc::strategy::optimizerOf(strategy).needsNorm();
  options.keepKinds = keptKinds(strategy);
  options.balance = strategy.get(keys::parallelismBalance);
  return options;
}

std::vector<int64_t> Workloads::microBatchCounts() const {
  if (!isFree(keys::parallelismMicroBatches))
    return {strategy.get(keys::parallelismMicroBatches)};
  // More than 16 micro-batches per rank hardly shorten the ends of a pipeline, and make their matrices too small. 4096
  // bounds the length of orders. Neither is tuned.
  constexpr int64_t mostPerRank = 16, most = 4096;
  ModuleOp module = models.ofBatch;
  int64_t batch = (*module.getOps<plc::ein::ModelOp>().begin()).getBatch();
  // Doublings of the number of accumulation groups, and divisors of the batch, for which all micro-batches are equal.
  std::vector<int64_t> counts = {strategy.get(keys::gradientLanes)}; // which must divide them
  int64_t limit = std::min({batch, mostPerRank * mostRanks, most});
  while (counts.back() * 2 <= limit)
    counts.push_back(counts.back() * 2);
  // Halvings of the batch: no micro-batch is smaller than others.
  for (int64_t count = batch; count > counts.front() && count % counts.front() == 0; count /= 2) {
    if (count <= limit && !llvm::is_contained(counts, count))
      counts.push_back(count);
    if (count % 2)
      break;
  }
  return counts;
}

// Applies a policy without a budget to each workload.
int Workloads::applyPolicy(llvm::raw_ostream &errors) {
  for (auto [workload, way] : llvm::zip(workloads, ways)) {
    plc::language::PassErrors reported(sources, *way.module->getContext(), errors, strategy.locations());
    FailureOr<search::Recomputation> found =
        plc::plan::recomputedBy(way.module.get(), workload, optionsOf(strategyOf(way)), rematModeOf(program, strategy));
    if (failed(found))
      return reported.getExitCode();
    recomputed.push_back(std::move(*found));
  }
  return plc::Done;
}

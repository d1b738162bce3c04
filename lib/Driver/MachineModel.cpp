//===- MachineModel.cpp - what a strategy's steps are predicted on ---------===//
#include "plc/Driver/MachineModel.h"

#include "plc/Planning/Schedule/PredictStep.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/Transports.h"

using namespace plc;
using plc::strategy::Strategy;

int64_t plc::driver::shardsOf(const Strategy &strategy) {
  using plc::strategy::ParallelismKind;
  const auto &shard = strategy.get(keys::parallelismShard);
  if (shard.empty() || strategy.get(keys::parallelismKind) == ParallelismKind::none)
    return 1;
  int64_t ranks = strategy.get(keys::parallelismShardRanks);
  return ranks ? ranks : shard.begin()->second;
}

/// Ranks that stages are placed on, each of which as many as there are shards stand for.
static int64_t pipelineRanks(const Strategy &strategy) {
  const auto &location = strategy.get(keys::parallelismPlace);
  return location.empty() ? strategy.get(keys::parallelismStages) : *llvm::max_element(location) + 1;
}

int64_t plc::driver::ranksOf(const Strategy &strategy) { return pipelineRanks(strategy) * shardsOf(strategy); }

int64_t plc::driver::threadsOf(const Strategy &strategy) {
  return std::max<int64_t>(1, strategy.get(keys::machineThreadsPerStage));
}

plc::simulator::RankThreads plc::driver::rankThreads(const Strategy &strategy) {
  return {threadsOf(strategy), strategy.rates()[plc::Rate::wake]};
}

plc::simulator::Cluster plc::driver::clusterOf(const Strategy &strategy, size_t ranks) {
  plc::simulator::Cluster cluster = plc::simulator::oneProcess(ranks, 0, strategy.rates(), threadsOf(strategy));
  // Workers help only ranks of their own process.
  cluster.sharesKernels &= strategy.get(keys::machineTransport) == plc::TransportKind::Threads;
  return cluster;
}

int64_t plc::driver::playedNs(const Strategy &strategy, plan::ProgramOp program, const module::EntryPlan &table) {
  return plan::predictStep(program, table, clusterOf(strategy, table.ranks.size()), rankThreads(strategy),
                           strategy.rates()[plc::Rate::updatedByte], plc::strategy::optimizerOf(strategy).needsNorm());
}

int64_t plc::driver::playedNs(const Strategy &strategy, plc::plan::ProgramOp planned) {
  plc::plan::RouteTable routes(planned);
  plc::plan::TaskSlots slots(planned, routes);
  mlir::FailureOr<plc::module::EntryPlan> table = plc::plan::buildActionTable(planned, slots);
  assert(succeeded(table) && "a plan has a table");
  return playedNs(strategy, planned, *table);
}

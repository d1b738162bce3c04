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
  const auto &shard = strategy.get<plc::strategy::Counts>("parallelism.shard");
  if (shard.empty() || strategy.getChoice<ParallelismKind>("parallelism.kind") == ParallelismKind::none)
    return 1;
  int64_t ranks = strategy.get<int64_t>("parallelism.shard_ranks");
  return ranks ? ranks : shard.begin()->second;
}

/// Ranks that stages are placed on, each of which as many as there are shards stand for.
static int64_t pipelineRanks(const Strategy &strategy) {
  const auto &place = strategy.get<std::vector<int64_t>>("parallelism.place");
  return place.empty() ? strategy.get<int64_t>("parallelism.stages") : *llvm::max_element(place) + 1;
}

int64_t plc::driver::ranksOf(const Strategy &strategy) { return pipelineRanks(strategy) * shardsOf(strategy); }

int64_t plc::driver::threadsOf(const Strategy &strategy) {
  return std::max<int64_t>(1, strategy.get<int64_t>("machine.threads_per_stage"));
}

plc::simulator::RankThreads plc::driver::rankThreads(const Strategy &strategy) {
  return {threadsOf(strategy), strategy.rates()[plc::Rate::wake]};
}

plc::simulator::Cluster plc::driver::clusterOf(const Strategy &strategy, size_t ranks) {
  plc::simulator::Cluster cluster = plc::simulator::oneProcess(ranks, 0, strategy.rates(), threadsOf(strategy));
  // Workers help only ranks of their own process.
  cluster.sharesKernels &= strategy.getChoice<plc::TransportKind>("machine.transport") == plc::TransportKind::Threads;
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

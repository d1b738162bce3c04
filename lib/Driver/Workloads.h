//===- Workloads.h - what the search for a plan may plan --------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_WORKLOADS_H
#define PLC_LIB_DRIVER_WORKLOADS_H

#include "Lowering.h"

#include "plc/Planning/Partition/Choose.h"
#include "plc/Search/Search.h"
#include "plc/Strategy/Choices.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::driver {

/// A program of a model, for each number of micro-batches and in each way in which a strategy lets it be made: with loops that run
/// again or not, with precomputed values or not, and with stages that groups of ranks share.
class Workloads {
public:
  /// Values of keys that make one of the workloads.
  struct Way {
    int64_t microBatches = 1;
    std::optional<bool> recomputesLoops{}, precomputes{}; ///< none: as the strategy says
    mlir::OwningOpRef<mlir::ModuleOp> module{};           ///< with kernels
  };

  /// The models have the phases up to `done` behind them.
  Workloads(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
            const strategy::Strategy &strategy, int64_t mostRanks)
      : models(models), done(done), program(program), sources(sources), strategy(strategy), mostRanks(mostRanks),
        isJoint(strategy.getChoice<strategy::ParallelismKind>("parallelism.kind") ==
                strategy::ParallelismKind::automatic) {}

  /// Makes all of them; groups share stages that are cut for `machine`. Returns the exit code; where there is no workload, `errors`
  /// has why.
  int make(const search::Machine &machine, llvm::raw_ostream &errors);

  const std::vector<search::Workload> &all() const { return workloads; }
  const Way &wayOf(size_t workload) const { return ways[workload]; }
  /// The strategy with the keys of a workload's way.
  strategy::Strategy strategyOf(const Way &way) const;
  /// What a policy recomputes, by workload and call; empty where that is open.
  const std::vector<search::Recomputation> &recomputedByPolicy() const { return recomputed; }

  /// Whether it is open what is recomputed.
  bool mayRecompute() const;
  /// The rank, or the group, of each stage that the strategy says.
  std::vector<int32_t> givenMap() const;
  /// The stage of each unit that it says.
  std::vector<int32_t> givenCut() const;

private:
  int64_t own(const char *key) const { return strategy.get<int64_t>(std::string("parallelism.") + key); }
  bool isFree(const char *key) const { return isJoint && !strategy.isOwn(std::string("parallelism.") + key); }
  bool isTraining() const { return program.entry == ProgramKind::train; }

  std::vector<int64_t> microBatchCounts() const;
  std::vector<Way> waysOf(int64_t microBatches) const;
  plan::WorkloadOptions optionsOf(const strategy::Strategy &chosen) const;
  std::vector<int64_t> shardCounts() const;
  std::vector<std::vector<int32_t>> groupMaps(int64_t shards, size_t units) const;
  int applyPolicy(llvm::raw_ostream &errors);
  void addShared(const search::Machine &machine);
  void share(const search::Machine &machine, const search::Workload &whole, const Way &way, int64_t shards,
             const std::vector<int32_t> &groupOf);

  const Models models;
  const PhaseKind done;
  const Program program;
  llvm::SourceMgr &sources;
  const strategy::Strategy &strategy;
  const int64_t mostRanks;
  const bool isJoint;
  std::vector<Way> ways; // by workload
  std::vector<search::Workload> workloads;
  std::vector<search::Recomputation> recomputed;
  std::string unshared; // why groups of ranks cannot share stages
};

} // namespace plc::driver

#endif

//===- Workloads.h - workloads that a strategy allows -----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_WORKLOADS_H
#define PLC_LIB_DRIVER_WORKLOADS_H

#include "Lowering.h"

#include "plc/Planning/Partition/Choose.h"
#include "plc/Search/Search.h"
#include "plc/Strategy/Choices.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::driver {

/// The workloads of a program that a strategy allows. They vary the number of micro-batches, whether loops run again,
/// whether values are precomputed, and how groups of ranks share stages. The search chooses among them.
class Workloads {
public:
  /// The values of keys that make a workload, and its IR.
  struct Way {
    int64_t microBatches = 1;
    std::optional<bool> recomputesLoops{}, precomputes{}; ///< nothing: as the strategy says
    mlir::OwningOpRef<mlir::ModuleOp> module{};           ///< with kernels
  };

  /// The models have the phases up to `done` behind them; `mostRanks` bounds ranks and micro-batches.
  Workloads(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
            const strategy::Strategy &strategy, int64_t mostRanks)
      : models(models), done(done), program(program), sources(sources), strategy(strategy), mostRanks(mostRanks),
        isJoint(strategy.get(keys::parallelismKind) == strategy::ParallelismKind::automatic) {}

  /// Makes all workloads. `machine` is what the stages of groups are cut for. Returns the exit code; if there is no
  /// workload, `errors` has the reason.
  int make(const search::Machine &machine, llvm::raw_ostream &errors);

  const std::vector<search::Workload> &all() const { return workloads; }
  const Way &wayOf(size_t workload) const { return ways[workload]; }
  /// The strategy with the keys that make a workload.
  strategy::Strategy strategyOf(const Way &way) const;
  /// What a policy recomputes, by workload and call; empty if the search decides that.
  const std::vector<search::Recomputation> &recomputedByPolicy() const { return recomputed; }

  /// Whether the search decides what is recomputed.
  bool mayRecompute() const;
  /// The rank, or the group, of each stage according to the strategy.
  std::vector<int32_t> givenMap() const;
  /// The stage of each unit according to the strategy; empty if it is open.
  std::vector<int32_t> givenCut() const;

private:
  template <typename T>
  bool isFree(plc::strategy::TypedKey<T> key) const {
    return isJoint && !strategy.isOwn(key);
  }
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
  std::string unshared; // the first reason why groups of ranks cannot share stages
};

} // namespace plc::driver

#endif

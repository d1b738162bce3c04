//===- Keys.h - the name and the type of each key of a strategy --*- C++ -*-===//
//
// Everything else names a key by its constant, so that neither a misspelled name nor a wrong type compiles.
// `lib/Strategy/Keys.cpp` has the default, the limits and the conditions of each; `docs/strategy.md` has the meaning.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_STRATEGY_KEYS_H
#define PLC_STRATEGY_KEYS_H

#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Strategy/Choices.h"
#include "plc/Support/Contractions.h"
#include "plc/Support/InstructionSets.h"
#include "plc/Support/NonFiniteSteps.h"
#include "plc/Support/Precisions.h"
#include "plc/Support/RateSchedules.h"
#include "plc/Support/Transports.h"
#include "plc/Support/WholeChoice.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plc::strategy {

/// A table of numbers whose names are the user's, such as the shards of each size. Sorted by name.
using Counts = std::map<std::string, int64_t>;

/// A key whose value is a `T`: of an enum with a table (Support/Choice.h), the row's name is what a file says.
template <typename T>
struct TypedKey {
  using Type = T;
  const char *path; ///< as a TOML file and `--set` give it
};

} // namespace plc::strategy

namespace plc::keys {
using namespace strategy;
inline constexpr TypedKey<std::string> preset{"preset"};
inline constexpr TypedKey<ExecutionMode> mode{"mode"};
inline constexpr TypedKey<bool> fusion{"fusion"};
inline constexpr TypedKey<bool> profiling{"profiling"};
inline constexpr TypedKey<GradientKind> gradientKind{"gradient.kind"};
inline constexpr TypedKey<int64_t> gradientAccumulationSteps{"gradient.accumulation_steps"};
inline constexpr TypedKey<int64_t> gradientLanes{"gradient.lanes"};
inline constexpr TypedKey<planner::RematPolicy> checkpointPolicy{"checkpoint.policy"};
inline constexpr TypedKey<int64_t> checkpointInterval{"checkpoint.interval"};
inline constexpr TypedKey<std::vector<int64_t>> checkpointLayers{"checkpoint.layers"};
inline constexpr TypedKey<double> checkpointMemoryFraction{"checkpoint.memory_fraction"};
inline constexpr TypedKey<bool> checkpointAttention{"checkpoint.attention"};
inline constexpr TypedKey<bool> checkpointFfn{"checkpoint.ffn"};
inline constexpr TypedKey<int64_t> checkpointMinInterval{"checkpoint.min_interval"};
inline constexpr TypedKey<planner::Grain> checkpointGrain{"checkpoint.grain"};
inline constexpr TypedKey<planner::RecomputingRuns> checkpointMicroBatches{"checkpoint.micro_batches"};
inline constexpr TypedKey<LoopValues> checkpointLoops{"checkpoint.loops"};
inline constexpr TypedKey<Precision> precisionCompute{"precision.compute"};
inline constexpr TypedKey<double> precisionLossScale{"precision.loss_scale"};
inline constexpr TypedKey<planner::MemoryStrategy> memoryStrategy{"memory.strategy"};
inline constexpr TypedKey<int64_t> memoryBudget{"memory.budget"};
inline constexpr TypedKey<ParallelismKind> parallelismKind{"parallelism.kind"};
inline constexpr TypedKey<int64_t> parallelismStages{"parallelism.stages"};
inline constexpr TypedKey<int64_t> parallelismReplicas{"parallelism.replicas"};
inline constexpr TypedKey<Counts> parallelismShard{"parallelism.shard"};
inline constexpr TypedKey<int64_t> parallelismShardRanks{"parallelism.shard_ranks"};
inline constexpr TypedKey<int64_t> parallelismMicroBatches{"parallelism.micro_batches"};
inline constexpr TypedKey<planner::ScheduleKind> parallelismSchedule{"parallelism.schedule"};
inline constexpr TypedKey<std::string> parallelismScheduleFile{"parallelism.schedule.file"};
inline constexpr TypedKey<int64_t> parallelismChunks{"parallelism.chunks"};
inline constexpr TypedKey<std::vector<int64_t>> parallelismBalance{"parallelism.balance"};
inline constexpr TypedKey<std::vector<int64_t>> parallelismPlace{"parallelism.place"};
inline constexpr TypedKey<std::string> parallelismPlan{"parallelism.plan"};
inline constexpr TypedKey<planner::Grain> parallelismGrain{"parallelism.grain"};
inline constexpr TypedKey<TransportKind> machineTransport{"machine.transport"};
inline constexpr TypedKey<int64_t> machineThreadsPerStage{"machine.threads_per_stage"};
inline constexpr TypedKey<int64_t> machineRanks{"machine.ranks"};
inline constexpr TypedKey<InstructionSet> machineIsa{"machine.isa"};
inline constexpr TypedKey<Contractions> machineContractions{"machine.contractions"};
inline constexpr TypedKey<std::string> machineRates{"machine.rates"};
inline constexpr TypedKey<std::string> machineProfile{"machine.profile"};
inline constexpr TypedKey<std::string> optimizerKind{"optimizer.kind"};
inline constexpr TypedKey<bool> optimizerDecayMatricesOnly{"optimizer.decay_matrices_only"};
inline constexpr TypedKey<double> optimizerLr{"optimizer.lr"};
inline constexpr TypedKey<RateSchedule> optimizerScheduleKind{"optimizer.schedule.kind"};
inline constexpr TypedKey<int64_t> optimizerScheduleWarmup{"optimizer.schedule.warmup"};
inline constexpr TypedKey<int64_t> optimizerScheduleTotal{"optimizer.schedule.total"};
inline constexpr TypedKey<double> optimizerScheduleFloor{"optimizer.schedule.floor"};
inline constexpr TypedKey<int64_t> optimizerSchedulePeriod{"optimizer.schedule.period"};
inline constexpr TypedKey<int64_t> optimizerSchedulePeriodFactor{"optimizer.schedule.period_factor"};
inline constexpr TypedKey<double> optimizerSchedulePower{"optimizer.schedule.power"};
inline constexpr TypedKey<int64_t> optimizerScheduleDecay{"optimizer.schedule.decay"};
inline constexpr TypedKey<double> optimizerSchedulePctStart{"optimizer.schedule.pct_start"};
inline constexpr TypedKey<double> optimizerScheduleDivFactor{"optimizer.schedule.div_factor"};
inline constexpr TypedKey<double> optimizerScheduleFinalDivFactor{"optimizer.schedule.final_div_factor"};
inline constexpr TypedKey<double> optimizerClipNorm{"optimizer.clip_norm"};
inline constexpr TypedKey<double> optimizerClipValue{"optimizer.clip_value"};
inline constexpr TypedKey<double> optimizerEma{"optimizer.ema"};
inline constexpr TypedKey<double> optimizerLayerDecay{"optimizer.layer_decay"};
inline constexpr TypedKey<NonFiniteStep> trainingNonfinite{"training.nonfinite"};
} // namespace plc::keys

#endif

//===- Workload.h - a model as the search for plans sees it -----*- C++ -*-===//
#ifndef PLC_SEARCH_WORKLOAD_H
#define PLC_SEARCH_WORKLOAD_H

#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Simulator/SharedWork.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::search {

using planner::TaskKind;

/// A kernel call of one micro-batch.
struct Call {
  int32_t unit = 0; ///< that is cut as a whole
  TaskKind kind = TaskKind::F;
  int64_t ns = 0;                        ///< on all threads of a rank, of the micro-batch with the most samples
  bool isSum = false;                    ///< adds two gradients; runs in the stage that makes both, else in its unit's
  bool mayRecompute = false;             ///< F: backward tasks may run it again
  int32_t behind = -1;                   ///< W: the call behind which it runs in a full backward; -1: before all
  int64_t dividedNs = 0, leastNs = 0;    ///< of `ns`: as of simulator::SharedWork
  std::vector<int32_t> reads{}, makes{}; ///< values, each once
  simulator::SharedWork work() const { return {ns, dividedNs, leastNs, dividedNs > 0}; }
  bool operator==(const Call &) const = default;
};

/// What a call makes for one micro-batch.
struct Value {
  int64_t bytes = 0; ///< aligned
  int32_t maker = 0;
  bool isOutput = false; ///< has persistent bytes of its own
  bool operator==(const Value &) const = default;
};

/// Bytes of one tensor of a step, and the units that use it.
struct Parameter {
  int64_t bytes = 0;              ///< aligned
  std::vector<int32_t> readers{}; ///< units, ascending
  std::vector<int32_t> sites{};   ///< calls that add to a gradient of it, one for each site; empty: it is not trained
  bool operator==(const Parameter &) const = default;
};

/// A buffer that lives through the step on each rank that has one of the units: inputs, outputs, states, precomputed values.
struct Persistent {
  int64_t bytes = 0;       ///< aligned, of what all micro-batches share
  int64_t bytesPerRun = 0; ///< and of each micro-batch
  std::vector<int32_t> units{};
  bool operator==(const Persistent &) const = default;
};

/// How groups of ranks share the stages of a pipeline. It divides units, and so fixes their stages.
struct Sharing {
  int64_t shards = 1;                       ///< ranks of a group
  std::vector<int32_t> cut{};               ///< by unit before it is divided: its stage of the pipeline
  std::vector<int32_t> groupOf{};           ///< by stage of the pipeline
  std::vector<int32_t> stageOf{}, rankOf{}; ///< by unit; by stage
  std::vector<int32_t> pipeline{};          ///< by stage: the stage of the pipeline that it is a part of
  bool operator==(const Sharing &) const = default;
};

/// One program of a model for one number of micro-batches: everything that a plan may depend on. Plain data.
struct Workload {
  int64_t microBatches = 1;
  int64_t lanes = 1;              ///< accumulation groups of each gradient
  int64_t moments = 0;            ///< tensors that the optimizer keeps for each trained parameter
  bool stepsMeet = false;         ///< the update needs the norm of all gradients
  std::vector<int64_t> samples{}; ///< of each micro-batch; empty: equal
  std::optional<Sharing> sharing{};
  std::vector<std::string> units{};
  std::vector<Call> calls{}; ///< in program order
  std::vector<Value> values{};
  std::vector<Parameter> parameters{};
  std::vector<Persistent> persistent{};

  // Derived by `derive`.
  std::vector<std::array<int64_t, 3>> unitNs{}; ///< by unit and task
  std::vector<std::vector<int32_t>> before{},
      behind{};                                ///< by unit: units that it exchanges values with, by program order
  std::vector<std::vector<int32_t>> callsOf{}; ///< by unit: its forward calls
  std::vector<std::vector<int32_t>> joined{};  ///< by call: W calls that run behind it in a full backward
  std::vector<int32_t> joinedFirst{};          ///< W calls that run before all others
  bool hasBackward = false;

  void derive();
  bool operator==(const Workload &) const = default;
  /// Of a step.
  int64_t workNs() const;
  /// That the update of a parameter reads and writes, in all replicas.
  int64_t updatedBytes(const Parameter &each) const {
    return each.bytes * (1 + int64_t(each.sites.size()) * lanes + moments);
  }
  int64_t scaled(int64_t whole, int64_t microBatch) const {
    if (samples.empty())
      return whole;
    int64_t most = samples.front(), mine = samples[size_t(microBatch)];
    return (whole * mine + most - 1) / most;
  }
};

/// The addresses of all values of a rank are multiples of it.
inline constexpr int64_t alignment = 64;
inline int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

} // namespace plc::search

#endif

//===- Workload.h - a program as the search for plans sees it ---*- C++ -*-===//
#ifndef PLC_SEARCH_WORKLOAD_H
#define PLC_SEARCH_WORKLOAD_H

#include "plc/Module/Alignment.h"
#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Simulator/SharedWork.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::search {

using planner::TaskKind;

/// A kernel call, of one micro-batch.
struct Call {
  int32_t unit = 0; ///< its unit (layer call): a unit is never cut
  TaskKind kind = TaskKind::F;
  int64_t ns = 0;            ///< on all threads of a rank, for the micro-batch with the most samples
  bool isSum = false;        ///< adds two gradients; runs in the stage that makes both, else in its unit's stage
  bool mayRecompute = false; ///< of F: backward tasks may recompute it
  int32_t behind = -1;       ///< of W: the call that it follows in a full backward; -1: before all others
  int64_t dividedNs = 0, leastNs = 0;    ///< of `ns`, as in simulator::SharedWork
  std::vector<int32_t> reads{}, makes{}; ///< values, without repetition
  simulator::SharedWork work() const { return {ns, dividedNs, leastNs, dividedNs > 0}; }
  bool operator==(const Call &) const = default;
};

/// A value that a call makes, of one micro-batch.
struct Value {
  int64_t bytes = 0; ///< aligned
  int32_t maker = 0;
  bool isOutput = false; ///< its bytes are a persistent buffer
  bool operator==(const Value &) const = default;
};

/// A parameter: its bytes, and the units that use it.
struct Parameter {
  int64_t bytes = 0;              ///< aligned
  std::vector<int32_t> readers{}; ///< units, ascending
  std::vector<int32_t> sites{};   ///< calls that add to its gradient; empty: it is not trained
  int64_t beside = 0;             ///< bytes of the tensors that its owner keeps beside it, if it is trained
  int32_t home = -1;              ///< the parameter whose owner updates it, too; -1: it has an owner of its own
  bool operator==(const Parameter &) const = default;
};

/// A persistent buffer: it lives through the step on each rank that has one of its units. Inputs, outputs, states,
/// precomputed values.
struct Persistent {
  int64_t bytes = 0;       ///< aligned, of what all micro-batches share
  int64_t bytesPerRun = 0; ///< and for each micro-batch
  std::vector<int32_t> units{};
  bool operator==(const Persistent &) const = default;
};

/// How groups of ranks share the stages of a pipeline. Sharing divides units into shards, and so fixes their
/// stages.
struct Sharing {
  int64_t shards = 1;                       ///< ranks of a group
  std::vector<int32_t> cut{};               ///< by undivided unit: its stage of the pipeline
  std::vector<int32_t> groupOf{};           ///< by stage of the pipeline
  std::vector<int32_t> stageOf{}, rankOf{}; ///< by unit; by stage
  std::vector<int32_t> pipeline{};          ///< by stage: the stage of the pipeline that it is a shard of
  bool operator==(const Sharing &) const = default;
};

/// A program with one number of micro-batches: all that a plan may depend on, as plain data.
struct Workload {
  int64_t microBatches = 1;
  int64_t groups = 1;             ///< accumulation groups of each gradient
  bool stepsMeet = false;         ///< the update needs the norm of all gradients
  std::vector<int64_t> samples{}; ///< of each micro-batch, the most first; empty: all equal
  std::optional<Sharing> sharing{};
  std::vector<std::string> units{};
  std::vector<Call> calls{}; ///< in program order
  std::vector<Value> values{};
  std::vector<Parameter> parameters{};
  std::vector<Persistent> persistent{};

  // Derived from the fields above by `derive`.
  std::vector<std::array<int64_t, 3>> unitNs{}; ///< by unit and task
  std::vector<std::vector<int32_t>> before{},
      behind{};                                ///< by unit: units before and behind it that it exchanges values with
  std::vector<std::vector<int32_t>> callsOf{}; ///< by unit: its forward calls
  std::vector<std::vector<int32_t>> joined{};  ///< by call: calls of W that follow it in a full backward
  std::vector<int32_t> firstOfFullBackward{};  ///< calls of W that precede all others
  double ownedShare = 0;                       ///< of what updates read and write: parameters, if each had one site
  bool hasBackward = false;

  /// Computes the derived fields; call it after any change of the others. O(calls + values).
  void derive();
  bool operator==(const Workload &) const = default;
  /// Time of all calls of a step, in ns, without recomputation and updates.
  int64_t workNs() const;
  /// Bytes that the update of a parameter reads and writes, of all replicas together.
  int64_t updatedBytes(const Parameter &each) const {
    return each.bytes * (1 + int64_t(each.sites.size()) * groups) + each.beside;
  }
  /// The share of a micro-batch in a number of the largest one, in proportion to its samples, rounded up.
  int64_t scaled(int64_t whole, int64_t microBatch) const {
    if (samples.empty())
      return whole;
    int64_t most = samples.front(), mine = samples[size_t(microBatch)];
    return (whole * mine + most - 1) / most;
  }
};

using module::aligned, module::alignment;

} // namespace plc::search

#endif

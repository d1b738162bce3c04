//===- PlanSpec.h - a plan as plain data ------------------------*- C++ -*-===//
#ifndef PLC_SEARCH_PLANSPEC_H
#define PLC_SEARCH_PLANSPEC_H

#include "plc/Search/Workload.h"

#include <optional>

namespace plc::search {

/// How often a forward call is recomputed for the backward pass of a micro-batch.
enum class Recompute : uint8_t {
  no,
  once,    ///< one clone in its stage, before the first call that needs it
  perUnit, ///< one clone for each unit that needs it: fewer bytes, more time
  perCall, ///< one clone for each call that needs it: the fewest bytes
};

/// The recomputation that a policy has chosen for one workload.
struct Recomputation {
  std::vector<Recompute> calls{}; ///< by call
  std::vector<char> saved{};      ///< by value: saved, although its maker is recomputed for other results
};

/// One task of a stage for one micro-batch: an element of a rank's order.
struct Task {
  int32_t stage = 0;
  TaskKind kind = TaskKind::F;
  int32_t microBatch = 0;
  bool operator==(const Task &) const = default;
};

/// A complete plan: all decisions of the search about a program, as plain data that passes apply. Stages, ranks and
/// orders are those of one replica; the other replicas do the same.
struct PlanSpec {
  int32_t workload = 0; ///< index among the workloads of the search
  int64_t replicas = 1;
  std::vector<int32_t> stageOf{};         ///< by unit
  std::vector<int32_t> rankOf{};          ///< by stage
  std::vector<char> fullBackward{};       ///< by unit: the calls of W run in B
  std::vector<Recompute> recompute{};     ///< by call
  std::vector<char> saved{};              ///< by value, as in `Recomputation`; empty: none
  std::vector<std::vector<Task>> order{}; ///< by rank; F, B and W of each stage, even those without calls

  int32_t stages() const { return int32_t(rankOf.size()); }
  int32_t ranks() const;
  /// Whether some call is recomputed.
  bool recomputes() const;
  bool saves(int32_t value) const { return !saved.empty() && saved[size_t(value)]; }
  bool operator==(const PlanSpec &) const = default;
};

} // namespace plc::search

#endif

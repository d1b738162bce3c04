//===- PlanSpec.h - a plan as plain data ------------------------*- C++ -*-===//
#ifndef PLC_SEARCH_PLANSPEC_H
#define PLC_SEARCH_PLANSPEC_H

#include "plc/Search/Workload.h"

#include <optional>

namespace plc::search {

/// What runs again for the backward pass, by forward call.
enum class Recompute : uint8_t {
  no,
  once,    ///< one clone in its stage, before the first call that needs it
  perUnit, ///< a clone for each unit that needs it: fewer bytes, more time
  perCall, ///< a clone for each call that needs it: the fewest bytes
};

/// What a policy recomputes.
struct Recomputation {
  std::vector<Recompute> calls{}; ///< by call
  std::vector<char> saved{};      ///< by value: saved, though its maker runs again for others that it makes
};

struct Task {
  int32_t stage = 0;
  TaskKind kind = TaskKind::F;
  int32_t microBatch = 0;
  bool operator==(const Task &) const = default;
};

/// All that a planner decides of a program. Stages, ranks and orders are those of one replica; others do the same.
struct PlanSpec {
  int32_t workload = 0; ///< which one of those that the search was given
  int64_t replicas = 1;
  std::vector<int32_t> stageOf{};         ///< by unit
  std::vector<int32_t> rankOf{};          ///< by stage
  std::vector<char> fullBackward{};       ///< by unit: W runs in B
  std::vector<Recompute> recompute{};     ///< by call
  std::vector<char> saved{};              ///< by value, as of `Recomputation`; empty: none
  std::vector<std::vector<Task>> order{}; ///< by rank; all three tasks of each stage, also of those without calls

  int32_t stages() const { return int32_t(rankOf.size()); }
  int32_t ranks() const;
  bool recomputes() const;
  bool saves(int32_t value) const { return !saved.empty() && saved[size_t(value)]; }
  bool operator==(const PlanSpec &) const = default;
};

} // namespace plc::search

#endif

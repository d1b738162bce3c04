//===- RematPolicies.h - how it is chosen what is recomputed ----*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_REMATPOLICIES_H
#define PLC_PLANNER_REMAT_REMATPOLICIES_H

#include "plc/Planner/Remat/Grain.h"
#include "plc/Planner/Remat/Remat.h"
#include "plc/Support/Choice.h"

namespace plc::planner {

enum class RematPolicy {
#define REMAT_POLICY(ENUMERATOR, NAME, FUNCTION, FIELDS) ENUMERATOR,
#include "plc/Planner/Remat/RematPolicies.def"
};

/// Which micro-batches recompute; the others keep what F made.
enum class RecomputingRuns { always, exceptLast, never };

/// Fields of `RematMode` that mean something to a policy.
enum RematField : unsigned {
  Interval = 1,       ///< `interval`
  Layers = 2,         ///< `layers`
  MemoryFraction = 4, ///< `memoryFraction`
  Checkpoints = 8,    ///< `minInterval` and `grain`: the policy says where segments start
  ByteBudget = 16     ///< the bytes of a rank: the policy solves a `RetentionProblem` for each stage
};

/// How calls that are computed again are chosen; see `[checkpoint]` of a strategy.
struct RematMode {
  RematPolicy policy = RematPolicy::none;
  int64_t interval = 1;          ///< every so many layers
  std::vector<int64_t> layers{}; ///< where segments start
  double memoryFraction = 1;     ///< of the bytes that policy `none` keeps
  int64_t minInterval = 1;       ///< least distance of starts
  Grain grain = Grain::layer;    ///< what `interval`, `layers` and `minInterval` count
};

/// All that is known of a policy.
struct RematPolicyRow {
  const char *name;
  /// Sets `segment` of a checked problem's calls, and `keep` of its values where that is finer.
  Fault (*choose)(const RematMode &mode, RematProblem &problem);
  unsigned fields; ///< of `RematField`

  bool obeys(RematField field) const { return fields & field; }
};

/// Decides what is kept by the mode's policy. Fails if the mode is no mode, or names layers that there are not.
Fault chooseSegments(const RematMode &mode, RematProblem &problem);

// Of each row: choose##Function, whose definition says what it chooses.
#define REMAT_POLICY(ENUMERATOR, NAME, FUNCTION, FIELDS)                                                               \
  Fault choose##FUNCTION(const RematMode &mode, RematProblem &problem);
#include "plc/Planner/Remat/RematPolicies.def"

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::RematPolicy> {
  static constexpr const char *noun = "checkpoint policy";
  static std::span<const planner::RematPolicyRow> rows();
  static std::span<const char *const> planned() { return {}; }
};

template <>
struct plc::Choice<plc::planner::RecomputingRuns> {
  static constexpr const char *noun = "micro-batches";
  static constexpr NamedRow table[] = {{"always"}, {"except_last"}, {"never"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif

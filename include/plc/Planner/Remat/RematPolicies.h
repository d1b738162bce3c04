//===- RematPolicies.h - policies of recomputation --------------*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_REMATPOLICIES_H
#define PLC_PLANNER_REMAT_REMATPOLICIES_H

#include "plc/Planner/Remat/Grain.h"
#include "plc/Planner/Remat/Remat.h"
#include "plc/Support/Choice.h"

namespace plc::planner {

/// The policies, by the rows of RematPolicies.def.
enum class RematPolicy {
#define REMAT_POLICY(ENUMERATOR, NAME, FUNCTION, FIELDS) ENUMERATOR,
#include "plc/Planner/Remat/RematPolicies.def"
};

/// Which micro-batches recompute; the others save what F makes.
enum class RecomputingRuns { always, exceptLast, never };

/// The fields of `RematMode` that a policy obeys, as bits.
enum RematField : unsigned {
  Interval = 1,       ///< `interval`
  Layers = 2,         ///< `layers`
  MemoryFraction = 4, ///< `memoryFraction`
  Checkpoints = 8,    ///< `minInterval` and `grain`: the policy sets where segments start
  ByteBudget = 16     ///< bytes of a rank: the search recomputes call by call
};

/// The settings of a policy; see `[checkpoint]` of a strategy.
struct RematMode {
  RematPolicy policy = RematPolicy::none;
  int64_t interval = 1;          ///< layers from one checkpoint to the next
  std::vector<int64_t> layers{}; ///< where segments start
  double memoryFraction = 1;     ///< of the bytes that policy `none` saves
  int64_t minInterval = 1;       ///< least distance of checkpoints
  Grain grain = Grain::layer;    ///< the unit of `interval`, `layers` and `minInterval`
};

/// A row of the table of policies.
struct RematPolicyRow {
  const char *name;
  /// Sets `segment` of a checked problem's calls, and `keep` of its values for a finer choice.
  Status (*choose)(const RematMode &mode, RematProblem &problem);
  unsigned fields; ///< of `RematField`

  bool obeys(RematField field) const { return fields & field; }
};

/// Sets the segments of a problem by the mode's policy. Fails if the problem or the mode is not valid, or if the mode
/// names layers that the model does not have.
Status chooseSegments(const RematMode &mode, RematProblem &problem);

// For each row choose##Function; its definition says what it chooses.
#define REMAT_POLICY(ENUMERATOR, NAME, FUNCTION, FIELDS)                                                               \
  Status choose##FUNCTION(const RematMode &mode, RematProblem &problem);
#include "plc/Planner/Remat/RematPolicies.def"

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::RematPolicy> {
  static constexpr const char *noun = "checkpoint policy";
  static std::span<const planner::RematPolicyRow> rows();
};

template <>
struct plc::Choice<plc::planner::RecomputingRuns> {
  static constexpr const char *noun = "micro-batches";
  static constexpr NamedRow table[] = {{"always"}, {"except_last"}, {"never"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif

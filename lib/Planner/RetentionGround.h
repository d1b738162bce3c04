//===- RetentionGround.h - what no clone changes ----------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONGROUND_H
#define PLC_LIB_PLANNER_RETENTIONGROUND_H

#include "plc/Planner/Retention.h"

#include <optional>

namespace plc::planner {

/// What all windows of a problem have in common, found once. A value that can be made only once and is read by such calls
/// alone, a gradient for example, lives as long as it is read whatever runs again: it is fixed, and only its bytes count.
class RetentionGround {
public:
  explicit RetentionGround(const RetentionProblem &problem);

  const RetentionProblem &problem;
  const std::vector<int64_t> maker; ///< of each value, or -1
  std::vector<bool> isFixed;        ///< of values
  std::vector<int64_t> fixedOwn,
      fixedClone; ///< bytes of fixed values while each call runs, less the places that results take over, and before that

  /// How many values are made and not fixed.
  size_t numLoose() const;
  /// `RetentionProblem::heldBytes`, which matters only with several micro-batches in flight. Of the answer that was asked for
  /// last it is known.
  int64_t heldBytes(const Retention &answer) const;

private:
  mutable std::optional<std::pair<Retention, int64_t>> held;
};

} // namespace plc::planner

#endif

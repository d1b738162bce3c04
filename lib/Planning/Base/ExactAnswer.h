//===- ExactAnswer.h - answers that are said to be exact --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_EXACTANSWER_H
#define PLC_LIB_PLANNING_BASE_EXACTANSWER_H

#include "plc/Planner/Base/Fault.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>

namespace plc::plan {

/// What a search ends with, and whether it has looked at all answers.
struct BestAnswer {
  int64_t value = 0;
  bool exact = false;
};

/// Why it is not proven that no answer is less than `said`; nothing if it is. No answer is less than the bound, so only one
/// above it is searched for again, which may take long and may end without a proof. `what` says of whom a value is.
inline planner::Fault proveExact(int64_t said, int64_t bound, const llvm::Twine &what,
                                 llvm::function_ref<planner::Fault(BestAnswer &)> search) {
  if (said == bound)
    return std::nullopt;
  BestAnswer best;
  if (planner::Fault fault = search(best))
    return fault;
  if (best.value < said)
    return (what + " " + llvm::Twine(best.value)).str();
  return best.exact && best.value == said ? std::nullopt : planner::Fault("no search shows it");
}

} // namespace plc::plan

#endif

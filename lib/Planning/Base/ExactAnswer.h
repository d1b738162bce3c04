//===- ExactAnswer.h - answers that claim to be exact -----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_EXACTANSWER_H
#define PLC_LIB_PLANNING_BASE_EXACTANSWER_H

#include "plc/Planner/Base/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>

namespace plc::plan {

/// The best answer of a search, and whether the search was exhaustive.
struct BestAnswer {
  int64_t value = 0;
  bool exact = false;
};

/// Checks the claim that no answer is less than `said`: returns why it is not shown, or nothing if it is. At the bound
/// the claim holds without a search. Above it the search runs again, which may take long and may end without a proof.
/// `what` names the value in the message.
inline planner::Status proveExact(int64_t said, int64_t bound, const llvm::Twine &what,
                                  llvm::function_ref<planner::Status(BestAnswer &)> search) {
  if (said == bound)
    return std::nullopt;
  BestAnswer best;
  if (planner::Status fault = search(best))
    return fault;
  if (best.value < said)
    return (what + " " + llvm::Twine(best.value)).str();
  return best.exact && best.value == said ? std::nullopt : planner::Status("no search shows it");
}

} // namespace plc::plan

#endif

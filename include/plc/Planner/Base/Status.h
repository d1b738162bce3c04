//===- Status.h - the reason why something is not valid ----------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_STATUS_H
#define PLC_PLANNER_BASE_STATUS_H

#include <optional>
#include <string>

namespace plc::planner {

/// A sentence that says why a problem or an answer is not valid. It is a string with one property.
struct Reason : std::string {
  Reason(std::string text, bool isNoPlan = false) : std::string(std::move(text)), isNoPlan(isNoPlan) {}
  Reason(const char *text) : std::string(text) {}

  /// The problem is valid but has no answer. Tools print that by their exit code.
  bool isNoPlan = false;
};

/// A status: empty if the thing is valid.
using Status = std::optional<Reason>;

/// The reason "no plan fits: WHY", with `isNoPlan`.
Reason noPlanFits(const std::string &why);

} // namespace plc::planner

#endif

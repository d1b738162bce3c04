//===- Fault.h - why something is no answer ---------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_FAULT_H
#define PLC_PLANNER_BASE_FAULT_H

#include <optional>
#include <string>

namespace plc::planner {

/// One sentence that says why something is no problem, or no answer to one. It is text and a property, so it reads like
/// the text wherever only that matters.
struct Reason : std::string {
  Reason(std::string text, bool isNoPlan = false) : std::string(std::move(text)), isNoPlan(isNoPlan) {}
  Reason(const char *text) : std::string(text) {}

  /// Whether the problem is well formed but nothing fits it, so that a tool says so by its exit code.
  bool isNoPlan = false;
};

/// Nothing if all is well.
using Fault = std::optional<Reason>;

/// The reason "no plan fits: WHY".
Reason noPlanFits(const std::string &why);

} // namespace plc::planner

#endif

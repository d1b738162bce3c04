//===- Fault.h - why something is no answer ---------------------*- C++ -*-===//
#ifndef PLC_PLANNER_FAULT_H
#define PLC_PLANNER_FAULT_H

#include <optional>
#include <string>

namespace plc::planner {

/// Nothing if all is well, else one sentence that says what is not.
using Fault = std::optional<std::string>;

} // namespace plc::planner

#endif

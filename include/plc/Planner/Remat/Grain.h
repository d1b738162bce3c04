//===- Grain.h - what is counted and not divided ----------------*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_GRAIN_H
#define PLC_PLANNER_REMAT_GRAIN_H

#include "plc/Support/Choice.h"

namespace plc::planner {

/// What cuts and segments of recomputation do not divide: layer calls, or the forward calls of kernels.
enum class Grain { layer, equation };

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::Grain> {
  static constexpr const char *noun = "grain";
  static constexpr NamedRow table[] = {{"layer"}, {"equation"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif

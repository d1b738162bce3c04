//===- Grain.h - the unit that cuts and segments count ----------*- C++ -*-===//
#ifndef PLC_PLANNER_REMAT_GRAIN_H
#define PLC_PLANNER_REMAT_GRAIN_H

#include "plc/Support/Choice.h"

namespace plc::planner {

/// The unit that cuts and segments of recomputation never divide: layer calls, or forward calls of kernels.
enum class Grain { layer, equation };

} // namespace plc::planner

template <>
struct plc::Choice<plc::planner::Grain> {
  static constexpr const char *noun = "grain";
  static constexpr NamedRow table[] = {{"layer"}, {"equation"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif

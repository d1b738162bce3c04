//===- NonFiniteSteps.h - treatments of non-finite steps --------*- C++ -*-===//
#ifndef PLC_SUPPORT_NONFINITESTEPS_H
#define PLC_SUPPORT_NONFINITESTEPS_H

#include "plc/Support/Choice.h"

namespace plc {

/// The treatment of a training step whose loss or gradient norm is NaN or infinite. Stop and Skip leave parameters and
/// moments as they are.
enum class NonFiniteStep : uint8_t { Stop, Skip, Ignore };

template <>
struct Choice<NonFiniteStep> {
  static constexpr const char *noun = "treatment of a step that is not finite";
  static constexpr NamedRow table[] = {{"stop"}, {"skip"}, {"ignore"}};
  static std::span<const NamedRow> rows() { return table; }
};

} // namespace plc

#endif

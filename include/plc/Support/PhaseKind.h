//===- PhaseKind.h - the phases from a model to a plan ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_PHASEKIND_H
#define PLC_SUPPORT_PHASEKIND_H

#include "plc/Support/Choice.h"

namespace plc {

/// In their order. docs/architecture.md has the IR after each.
enum class PhaseKind {
  ein,
  precision,
  microBatch,
  algebra,
  gradient,
  numerics,
  kernels,
  partition,
  skips,
  schedule,
  remat,
  comm,
  addresses
};

template <>
struct Choice<PhaseKind> {
  static constexpr const char *noun = "phase";
  static constexpr NamedRow table[] = {{"ein"},      {"precision"}, {"micro-batch"}, {"algebra"}, {"gradient"},
                                       {"numerics"}, {"kernels"},   {"partition"},   {"skips"},   {"schedule"},
                                       {"remat"},    {"comm"},      {"addresses"}};
  static constexpr std::span<const NamedRow> rows() { return table; }
};

} // namespace plc

#endif

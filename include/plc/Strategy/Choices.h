//===- Choices.h - what only strategies choose by name ----------*- C++ -*-===//
//
// The other choices of a strategy stand beside what carries them out: in `plc/Planner`, and in `plc/Support` where the
// runtime needs them, too.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_STRATEGY_CHOICES_H
#define PLC_STRATEGY_CHOICES_H

#include "plc/Support/Choice.h"

namespace plc::strategy {

/// Whether equations are fused, or each runs alone; and whether tasks run in a fixed order, or each when it is ready.
enum class ExecutionMode { lazy, eager, hybrid };

/// Whether a model with a loss is trained.
enum class GradientKind { full, none };

/// What is kept of the turns of a long loop for its gradients: as the policy of recomputation says, what all turns save, or
/// what segments of them begin with.
enum class TurnValues { policy, keep, recompute };

/// How a program is divided: not, in stages, its batch among replicas, or as the joint plan says. A pipeline may have replicas, too.
enum class ParallelismKind { none, pipeline, data, model, automatic };

} // namespace plc::strategy

template <>
struct plc::Choice<plc::strategy::ExecutionMode> {
  static constexpr const char *noun = "mode";
  static constexpr NamedRow table[] = {{"lazy"}, {"eager"}, {"hybrid"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

template <>
struct plc::Choice<plc::strategy::GradientKind> {
  static constexpr const char *noun = "gradient kind";
  static constexpr NamedRow table[] = {{"full"}, {"none"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

template <>
struct plc::Choice<plc::strategy::TurnValues> {
  static constexpr const char *noun = "turns";
  static constexpr NamedRow table[] = {{"policy"}, {"keep"}, {"recompute"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

template <>
struct plc::Choice<plc::strategy::ParallelismKind> {
  static constexpr const char *noun = "parallelism kind";
  static constexpr NamedRow table[] = {{"none"}, {"pipeline"}, {"data"}, {"model"}, {"automatic"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif

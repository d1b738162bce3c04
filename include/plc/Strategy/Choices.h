//===- Choices.h - named choices of strategies alone ------------*- C++ -*-===//
// Other choices of a strategy stand beside the code that carries them out: in `plc/Planner`, and in `plc/Support` if
// the runtime needs them, too.
#ifndef PLC_STRATEGY_CHOICES_H
#define PLC_STRATEGY_CHOICES_H

#include "plc/Support/Choice.h"

namespace plc::strategy {

/// lazy: tasks run in a fixed order. eager: each equation is a kernel of its own. hybrid: a task runs when it is ready.
enum class ExecutionMode { lazy, eager, hybrid };

/// Whether a model with a loss is trained (`full`) or not.
enum class GradientKind { full, none };

/// What a long loop saves for its gradients: what the policy of recomputation says, what all iterations save, or the
/// values with which segments of iterations begin.
enum class LoopValues { policy, keep, recompute };

/// How a program is divided: not at all, in stages, in replicas of the batch, in shards of sizes, or as the search for
/// plans finds. A pipeline may have replicas, too.
enum class ParallelismKind { none, pipeline, data, model, automatic };

} // namespace plc::strategy

template <>
struct plc::Choice<plc::strategy::ExecutionMode> {
  static constexpr const char *noun = "mode";
  static constexpr NamedRow table[] = {{"lazy"}, {"eager"}, {"hybrid"}};
  static std::span<const NamedRow> rows() { return table; }
};

template <>
struct plc::Choice<plc::strategy::GradientKind> {
  static constexpr const char *noun = "gradient kind";
  static constexpr NamedRow table[] = {{"full"}, {"none"}};
  static std::span<const NamedRow> rows() { return table; }
};

template <>
struct plc::Choice<plc::strategy::LoopValues> {
  static constexpr const char *noun = "iterations";
  static constexpr NamedRow table[] = {{"policy"}, {"keep"}, {"recompute"}};
  static std::span<const NamedRow> rows() { return table; }
};

template <>
struct plc::Choice<plc::strategy::ParallelismKind> {
  static constexpr const char *noun = "parallelism kind";
  static constexpr NamedRow table[] = {{"none"}, {"pipeline"}, {"data"}, {"model"}, {"automatic"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif

//===- Optimizers.h - the optimizers and learning-rate schedules *- C++ -*-===//
#ifndef PLC_SUPPORT_OPTIMIZERS_H
#define PLC_SUPPORT_OPTIMIZERS_H

#include "plc/Support/Choice.h"

#include <cstdint>

namespace plc {

/// Their updates are defined in `plc/Runtime/Base/Optimizer.h`.
enum class OptimizerKind : uint8_t { SGD, Momentum, Adam, AdamW };

struct OptimizerRow {
  const char *name;
  int moments;       ///< tensors that it keeps beside each trained parameter
  bool hasMomentum;  ///< whether `momentum` means something to it
  bool isAdaptive;   ///< whether `beta1`, `beta2` and `eps` do
  bool decaysWeight; ///< whether `weight_decay` does
};

template <>
struct Choice<OptimizerKind> {
  static constexpr const char *noun = "optimizer";
  static constexpr OptimizerRow table[] = {
      {"sgd", 0, false, false, false},
      {"momentum", 1, true, false, false},
      {"adam", 2, false, true, false},
      {"adamw", 2, false, true, true},
  };
  static std::span<const OptimizerRow> rows() { return table; }
};

/// The learning rate after the warm-up.
enum class RateSchedule : uint8_t { Constant, Linear, Cosine };

struct RateScheduleRow {
  const char *name;
  bool ends; ///< falls to zero at the step `total`
};

template <>
struct Choice<RateSchedule> {
  static constexpr const char *noun = "learning-rate schedule";
  static constexpr RateScheduleRow table[] = {{"constant", false}, {"linear", true}, {"cosine", true}};
  static std::span<const RateScheduleRow> rows() { return table; }
};

} // namespace plc

#endif

//===- RateSchedules.h - learning-rate schedules ----------------*- C++ -*-===//
#ifndef PLC_SUPPORT_RATESCHEDULES_H
#define PLC_SUPPORT_RATESCHEDULES_H

#include "plc/Support/Choice.h"

#include <cstdint>

namespace plc {

/// How the learning rate changes from step to step. `LearningRate::rate` has the formulas.
enum class RateSchedule : uint8_t {
  Constant,
  Linear,
  Cosine,
  CosineRestarts,
  InverseSqrt,
  OneCycle,
  Polynomial,
  Trapezoid
};

/// The numbers that a schedule reads, as bits.
enum RateField : unsigned {
  Warmup = 1,
  Total = 2,
  Floor = 4,
  Periods = 8, // period, period_factor
  Power = 16,
  Decay = 32,
  Cycle = 64 // pct_start, div_factor, final_div_factor
};

struct RateScheduleRow {
  const char *name;
  unsigned fields;

  bool obeys(RateField field) const { return fields & field; }
};

template <>
struct Choice<RateSchedule> {
  static constexpr const char *noun = "learning-rate schedule";
  static constexpr RateScheduleRow table[] = {
      {"constant", Warmup},
      {"linear", Warmup | Total | Floor},
      {"cosine", Warmup | Total | Floor},
      {"cosine_restarts", Warmup | Floor | Periods},
      {"inverse_sqrt", Warmup | Floor},
      {"one_cycle", Total | Cycle},
      {"polynomial", Warmup | Total | Floor | Power},
      {"trapezoid", Warmup | Total | Floor | Decay},
  };
  static std::span<const RateScheduleRow> rows() { return table; }
};

} // namespace plc

#endif

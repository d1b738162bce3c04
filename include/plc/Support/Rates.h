//===- Rates.h - what a machine takes for its work --------------*- C++ -*-===//
#ifndef PLC_SUPPORT_RATES_H
#define PLC_SUPPORT_RATES_H

#include "plc/Support/Choice.h"

#include <array>

namespace plc {

enum class Rate {
#define RATE(NAME, FLAG, AVX2, AVX512, OF) NAME,
#include "plc/Support/Rates.def"
};

/// The slowest that anything may be said to be.
inline constexpr double mostRateNs = 1e6;

struct RateRow {
  const char *name;
  double avx2, avx512, amx;
  const char *of;
  double least = 0, most = mostRateNs;
};

template <>
struct Choice<Rate> {
  static constexpr const char *noun = "rate";
  static constexpr RateRow table[] = {
#define RATE(NAME, FLAG, AVX2, AVX512, OF) {FLAG, AVX2, AVX512, AVX512, OF},
#define AMX_RATE(NAME, FLAG, AVX2, AVX512, AMX, OF) {FLAG, AVX2, AVX512, AMX, OF},
#define FACTOR(NAME, FLAG, LEAST, MOST, OF) {FLAG, LEAST, LEAST, LEAST, OF, LEAST, MOST},
#include "plc/Support/Rates.def"
  };
  static std::span<const RateRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

/// A number for each rate: nanoseconds, or how much of it a kernel does; of a factor itself.
class PerRate {
public:
  static constexpr size_t size = std::size(Choice<Rate>::table);
  double &operator[](Rate rate) { return values[static_cast<size_t>(rate)]; }
  double operator[](Rate rate) const { return values[static_cast<size_t>(rate)]; }

private:
  std::array<double, size> values{};
};

/// How many nanoseconds a thread that waits looks again before it sleeps: as many as sleeping and waking take, so that it
/// never waits twice as long as the better of both.
inline double shortWaitNs(const PerRate &rates) { return 2 * rates[Rate::wake]; }

} // namespace plc

#endif

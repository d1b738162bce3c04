//===- Rates.h - how long a machine takes for its work ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_RATES_H
#define PLC_SUPPORT_RATES_H

#include "plc/Support/Choice.h"

#include <array>

namespace plc {

enum class Rate {
#define RATE(NAME, FLAG, AVX2, AVX512, OF) NAME,
#include "plc/Support/Rates.def"
};

/// The largest rate that is accepted, in ns: far above any machine, small enough that products do not overflow.
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
};

/// A number for each rate: its nanoseconds, the amount of it that a kernel does, or the factor itself.
class PerRate {
public:
  static constexpr size_t size = std::size(Choice<Rate>::table);
  double &operator[](Rate rate) { return values[static_cast<size_t>(rate)]; }
  double operator[](Rate rate) const { return values[static_cast<size_t>(rate)]; }

private:
  std::array<double, size> values{};
};

/// Nanoseconds that a waiting thread looks again before it sleeps: as many as sleeping and waking take. So it never
/// waits more than twice as long as the better of both (the competitive argument of ski rental).
inline double shortWaitNs(const PerRate &rates) { return 2 * rates[Rate::wake]; }

} // namespace plc

#endif

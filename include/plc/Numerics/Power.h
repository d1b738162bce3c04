//===- Power.h - pow --------------------------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_POWER_H
#define PLC_NUMERICS_POWER_H

#include "plc/Numerics/Exponential.h"
#include "plc/Numerics/Logarithm.h"

namespace plc::numerics {

/// An unevaluated sum; low is small beside high.
template <typename V>
struct TwoParts {
  V high, low;
};

/// a + b exactly, for |a| >= |b| or a = 0 (Dekker, "A floating-point technique for extending the available precision",
/// 1971).
template <typename V>
inline TwoParts<V> fastSum(V a, V b) {
  V sum = a + b;
  return {sum, b - (sum - a)};
}

/// ln m of m in [0.7, 1.42) to about 2^-35 (f32), 2^-65 (f64) of itself: 2 atanh(s) = 2s (1 + s^2/3 + s^4 R(s^2)) with
/// s = f / (2 + f), f = m - 1. s and s^2/3 are kept in two parts.
template <typename V>
inline TwoParts<V> logarithmInParts(V m) {
  V f = m - like(m, 1), t = like(m, 2) + f;
  V s = f / t;
  V sLow = fma(-s, f - (t - like(m, 2)), fma(-s, t, f)) / t;
  V u = s * s;
  V uLow = fma(s, s, -u) + (s + s) * sLow;
  V third = like(m, isSingle<V> ? 0x1.555556p-2 : 0x1.5555555555555p-2);
  V thirdLow = like(m, isSingle<V> ? -0x1.555556p-27 : 0x1.5555555555555p-56);
  V cubic = u * third;
  V cubicLow = fma(u, third, -cubic) + fma(u, thirdLow, uLow * third);
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(u, {0x1.999a04p-3, 0x1.2450d2p-3, 0x1.dff4dap-4});
    else
      return polynomial(u, {0x1.9999999999995p-3, 0x1.2492492493192p-3, 0x1.c71c71c5573e2p-4, 0x1.745d1845ec006p-4,
                            0x1.3b135d859d8a8p-4, 0x1.11217c0339e4dp-4, 0x1.de142c7ba1e88p-5, 0x1.ec13f05e6c49dp-5});
  }();
  auto [series, seriesLow] = fastSum(cubic, u * u * p);
  seriesLow = seriesLow + cubicLow;
  V twice = s + s, product = twice * series;
  V productLow = fma(twice, series, -product) + fma(twice, seriesLow, (sLow + sLow) * series);
  auto [high, low] = fastSum(twice, product);
  return {high, low + (productLow + (sLow + sLow))};
}

/// ln x of x >= 0 in two parts; -inf and inf have no low part.
template <typename V>
inline TwoParts<V> logarithmOfAny(V x) {
  constexpr bool single = isSingle<V>;
  auto [m, e] = binaryParts(x, 0x1.6a09ep-1);
  auto [ofM, ofMLow] = logarithmInParts(m);
  // The high part of ln2 is short, so its product with e is exact. |e ln2| > |ln m|, or e is 0, as fastSum needs.
  auto [high, low] = fastSum(e * like(x, single ? 0x1.62e4p-1 : 0x1.62e42feep-1), ofM);
  low = low + fma(e, like(x, single ? 0x1.7f7d1cp-20 : 0x1.a39ef35793c76p-33), ofMLow);
  V zero = like(x, 0), infinity = like(x, std::numeric_limits<double>::infinity());
  MaskOf<V> isZero = x == zero;
  high = select(isZero, -infinity, select(x < infinity, high, x));
  return {high, select(isZero, zero, select(x < infinity, low, zero))};
}

/// x^y, <= 2 ulp, as C's pow: x^0 = 1^y = 1; a negative x has powers by integers alone, else NaN; (+-0)^y and (+-inf)^y
/// keep the sign if y is odd; (-1)^(+-inf) = 1.
template <typename V>
inline V pow(V x, V y) {
  constexpr bool single = isSingle<V>;
  V zero = like(x, 0), one = like(x, 1), infinity = like(x, std::numeric_limits<double>::infinity());
  V size = abs(x);
  auto [log, logLow] = logarithmOfAny(size);
  V exponent = y * log;
  V exponentLow = fma(y, log, -exponent) + y * logLow;
  // If e^exponent is 0 or infinite, or the exponent infinite, the low part is no number or does not matter.
  MaskOf<V> ordinary = abs(exponent) < like(x, single ? 110 : 760);
  V result = exponential(exponent, select(ordinary, exponentLow, zero));
  result = select(size == one, select(y == y, one, y), result); // 0 * inf is none
  V half = y * like(y, 0.5);
  MaskOf<V> isInteger = floor(y) == y, hasInteger = floor(half) == half;
  V sign = withSignOf(one, x);
  V none = like(x, std::numeric_limits<double>::quiet_NaN());
  V ofFraction = select(size < infinity, select(x < zero, none, result), result);
  V negative = select(isInteger, result * select(hasInteger, one, sign), ofFraction);
  result = select(sign < zero, negative, result);
  return select(x == one, one, select(y == zero, one, result));
}

} // namespace plc::numerics

#endif

//===- Trigonometric.h - sin, cos, tan --------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_TRIGONOMETRIC_H
#define PLC_NUMERICS_TRIGONOMETRIC_H

#include "plc/Numerics/LargeAngle.h"

#include <limits>

namespace plc::numerics {

/// For |x| < 2^20 (f32), 2^45 (f64). pi/2 is in three parts C1 + C2 + C3, after Cody and Waite, "Software manual for
/// the elementary functions" (1980). x - n C1 is exact: both are multiples of the last place of C1, and their
/// difference is small.
template <typename V>
inline ReducedAngle<V> reduceSmallAngle(V x) {
  constexpr bool single = isSingle<V>;
  V n = fma(x, like(x, single ? 0x1.45f306p-1 : 0x1.45f306dc9c883p-1), magic(x)) - magic(x);
  V c2 = like(x, single ? 0x1.777a5cp-25 : -0x1.1a62633145c07p-54);
  V c3 = like(x, single ? 0x1.ee59dap-50 : 0x1.f1976b7ed8fbcp-110);
  V exact = fma(n, like(x, single ? -0x1.921fb6p+0 : -0x1.921fb54442d18p+0), x);
  // The sum with n C2, in two parts of which either may be the larger; what its product lost; n C3.
  V product = n * c2, sum = exact + product, lost = sumError(exact, product, sum);
  V rest = fma(n, c3, lost + fma(n, c2, -product));
  V high = sum + rest;
  return {n, high, rest - (high - sum)};
}

/// Whether an integral n is even.
template <typename V>
inline MaskOf<V> isEven(V n) {
  V half = n * like(n, 0.5);
  return (half + magic(n)) - magic(n) == half;
}

/// sin(high + low).
template <typename V>
inline V sineOfReduced(V high, V low) {
  V z = high * high;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(z, {-0x1.555556p-3, 0x1.111166p-7, -0x1.a04738p-13, 0x1.76daecp-19});
    else
      return polynomial(z, {-0x1.5555555555555p-3, 0x1.111111111107bp-7, -0x1.a01a01a003dbbp-13, 0x1.71de3a3d0d98p-19,
                            -0x1.ae643ab2a03dbp-26, 0x1.6113e34134a24p-33, -0x1.a55f79560e1cep-41});
  }();
  return high + fma(z * high, p, low);
}

/// cos(high + low).
template <typename V>
inline V cosineOfReduced(V high, V low) {
  V z = high * high;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(z, {-0.5, 0x1.555544p-5, -0x1.6c08b6p-10, 0x1.98fa2p-16});
    else
      return polynomial(z, {-0.5, 0x1.555555555553dp-5, -0x1.6c16c16c13349p-10, 0x1.a01a0199e31b8p-16,
                            -0x1.27e4f61b8853dp-22, 0x1.1ee8abb416dd2p-29, -0x1.8f108b2df43b7p-37});
  }();
  return like(z, 1) + fma(z, p, -(high * low));
}

/// tan(high + low).
template <typename V>
inline V tangentOfReduced(V high, V low) {
  V z = high * high;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(z, {0x1.555578p-2, 0x1.110774p-3, 0x1.bbe4cap-5, 0x1.52758ap-6, 0x1.95c6f6p-7, -0x1.d41d0ap-10,
                            0x1.58bd12p-8});
    else
      return polynomial(z, {0x1.55555555555adp-2, 0x1.111111110ad3ap-3, 0x1.ba1ba1bf15395p-5, 0x1.664f478209604p-6,
                            0x1.226e541855347p-7, 0x1.d6cf0b06f8974p-9, 0x1.7de46063876b2p-10, 0x1.32e5d96c6f17dp-11,
                            0x1.0bc0365248cfep-12, 0x1.d589b8e384774p-15, 0x1.de29f71e626dep-14, -0x1.52f73350a7104p-14,
                            0x1.806cc91e8a34ep-14, -0x1.72c158c976e5dp-15, 0x1.d415fa8b4c7d4p-17});
  }();
  // The derivative of tan is 1 + tan^2, about 1 + z.
  return high + fma(z * high, p, fma(z, low, low));
}

/// The sine of (n + quarters) pi/2 + high + low.
template <typename V>
inline V sineOfQuarters(const ReducedAngle<V> &angle, double quarters) {
  auto [turns, high, low] = angle;
  V n = turns + like(turns, quarters);
  V y = select(isEven(n), sineOfReduced(high, low), cosineOfReduced(high, low));
  // (n - 0.5) / 2 rounds to floor(n / 2), odd for the third and fourth quarter of a turn.
  V pairs = (fma(n, like(n, 0.5), like(n, -0.25)) + magic(n)) - magic(n);
  return select(isEven(pairs), y, -y);
}

/// function(reduced x). Small angles take a few operations, large ones many, in a branch. Infinities and NaN give one
/// NaN.
template <typename V, typename Function>
inline V ofAngle(V x, Function function) {
  MaskOf<V> isSmall = abs(x) < like(x, isSingle<V> ? 0x1p20 : 0x1p45);
  return selectUsual(isSmall, function(reduceSmallAngle(x)), [&] {
    MaskOf<V> isFinite = abs(x) < like(x, std::numeric_limits<double>::infinity());
    V none = like(x, std::numeric_limits<double>::quiet_NaN());
    return select(isFinite, function(reduceLargeAngle(x)), none);
  });
}

/// sin x, <= 1.2 ulp; NaN for infinities. sin(-0) = -0.
template <typename V>
inline V sin(V x) {
  V y = ofAngle(x, [](const ReducedAngle<V> &angle) { return sineOfQuarters(angle, 0); });
  return select(x == like(x, 0), x, y);
}

/// cos x, <= 1.2 ulp; NaN for infinities.
template <typename V>
inline V cos(V x) {
  return ofAngle(x, [](const ReducedAngle<V> &angle) { return sineOfQuarters(angle, 1); });
}

/// tan x, <= 2 ulp; NaN for infinities. tan(-0) = -0.
template <typename V>
inline V tan(V x) {
  V y = ofAngle(x, [](const ReducedAngle<V> &angle) {
    auto [n, high, low] = angle;
    V t = tangentOfReduced(high, low);
    return select(isEven(n), t, like(n, -1) / t);
  });
  return select(x == like(x, 0), x, y);
}

} // namespace plc::numerics

#endif

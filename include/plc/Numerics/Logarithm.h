//===- Logarithm.h - natural logarithm --------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_LOGARITHM_H
#define PLC_NUMERICS_LOGARITHM_H

#include "plc/Numerics/Value.h"

#include <limits>

namespace plc::numerics {

/// log(m) + e ln2 for m in [0.75, 1.5), e integral: r - r^2/2 + r^3 P8(r), r = m - 1.
template <typename V>
  requires isSingle<V>
inline V logarithmOfParts(V m, V e) {
  V r = m - like(m, 1);
  V p = polynomial(r, {0x1.55555ap-2, -0x1.00006ep-2, 0x1.999786p-3, -0x1.5519b8p-3, 0x1.2460a4p-3, -0x1.04aa52p-3,
                       0x1.df41e8p-4, -0x1.75641ep-4, 0x1.349a08p-5});
  V square = r * r;
  V tail = fma(square * r, p, e * like(m, 0x1.7f7d1cp-20));
  tail = fma(square, like(m, -0.5), tail);
  return fma(e, like(m, 0x1.62e4p-1), r + tail);
}

/// The same with s = f / (2 + f), f = m - 1: log(m) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + R)), R = s^2 P7(s^2).
template <typename V>
  requires(!isSingle<V>)
inline V logarithmOfParts(V m, V e) {
  V f = m - like(m, 1);
  V s = f / (like(m, 2) + f);
  V z = s * s;
  V remainder =
      z * polynomial(z, {0x1.5555555555555p-1, 0x1.9999999999d1p-2, 0x1.24924924399bep-2, 0x1.c71c724b4124dp-3,
                         0x1.745ce1d52ca64p-3, 0x1.3b20225a612ffp-3, 0x1.0f67749293cd8p-3, 0x1.0f0c20401214ep-3});
  V half = like(m, 0.5) * f * f;
  V low = fma(s, half + remainder, e * like(m, 0x1.a39ef35793c76p-33));
  return fma(e, like(m, 0x1.62e42feep-1), f - (half - low));
}

/// x = m 2^e with m in [least, 2 least), for positive finite x; a denormal too.
template <typename V>
struct BinaryParts {
  V m, e;
};

template <typename V>
inline BinaryParts<V> binaryParts(V x, double least) {
  constexpr int fraction = fractionBits<V>;
  // A denormal is scaled to a normal number first.
  MaskOf<V> small = x < like(x, isSingle<V> ? 0x1p-126 : 0x1p-1022);
  V scaled = select(small, x * like(x, isSingle<V> ? 0x1p24 : 0x1p54), x);
  BitsOf<V> i = toBits(scaled);
  BitsOf<V> e = shiftRight(sub(i, toBits(like(x, least))), fraction);
  V m = fromBits(sub(i, shiftLeft(e, fraction)));
  V exponent = fromBits(add(e, toBits(magic(x)))) - magic(x);
  return {m, exponent - select(small, like(x, isSingle<V> ? 24 : 54), like(x, 0))};
}

/// ln x, <= 1.1 ulp. log(0) = -inf, log(x < 0) = NaN, log(inf) = inf; denormals are exact to the same bound.
template <typename V>
inline V log(V x) {
  V infinity = like(x, std::numeric_limits<double>::infinity());
  V zero = like(x, 0);
  auto [m, e] = binaryParts(x, isSingle<V> ? 0.75 : 0x1.6a09ep-1);
  V result = logarithmOfParts(m, e);
  result = select(x < infinity, result, x); // inf and NaN
  result = select(x == zero, -infinity, result);
  return select(x < zero, like(x, std::numeric_limits<double>::quiet_NaN()), result);
}

/// ln(1 + x), <= 2 ulp: log of the rounded sum, and what rounding took from it to first order. log1p(-0) = -0.
template <typename V>
inline V log1p(V x) {
  V one = like(x, 1);
  V sum = one + x;
  V lost = select(x < one, x - (sum - one), one - (sum - x));
  V rough = log(sum);
  V result = rough + lost / sum;
  // Where the sum is 0, infinite or NaN its logarithm is all; a 0 keeps its sign.
  MaskOf<V> plain = abs(rough) < like(x, std::numeric_limits<double>::infinity());
  return select(x == like(x, 0), x, select(plain, result, rough));
}

} // namespace plc::numerics

#endif

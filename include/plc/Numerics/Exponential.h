//===- Exponential.h - exp, expm1 and sigmoid -------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_EXPONENTIAL_H
#define PLC_NUMERICS_EXPONENTIAL_H

#include "plc/Numerics/Value.h"

namespace plc::numerics {

/// exp(x) = 2^n e^r with |r| <= ln2 / 2, for |x| < 2^20.
template <typename V>
struct ReducedExponent {
  BitsOf<V> n;
  V r;
};

template <typename V>
/// n = rint(x / ln2), by the addition of a magic number; r = x - n ln2, with ln2 in two parts.
inline ReducedExponent<V> reduceExponent(V x) {
  constexpr bool single = isSingle<V>;
  V shift = magic(x);
  V y = fma(x, like(x, single ? 0x1.715476p+0 : 0x1.71547652b82fep+0), shift);
  V n = y - shift;
  // The high part of ln2 is short: its product with n is exact, and fma makes the difference exact too.
  V r = fma(n, like(x, single ? -0x1.62e4p-1 : -0x1.62e42feep-1), x);
  r = fma(n, like(x, single ? -0x1.7f7d1cp-20 : -0x1.a39ef35793c76p-33), r);
  return {sub(toBits(y), toBits(shift)), r};
}

/// (e^r - 1 - r) / r^2 for |r| <= ln2 / 2; 2^-28.2, 2^-56.5 of e^r.
template <typename V>
inline V exponentialTail(V r) {
  if constexpr (isSingle<V>)
    return polynomial(r, {0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d6cp-7, 0x1.6ab864p-10});
  else
    return polynomial(r, {0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.55555555507e8p-5, 0x1.1111111127d0dp-7,
                          0x1.6c16c1844ceecp-10, 0x1.a01a012a470a5p-13, 0x1.a01999a89d1cbp-16, 0x1.71df24b8871a6p-19,
                          0x1.28add33e8e9c9p-22, 0x1.ad8193f2abe7bp-26});
}

/// e^(x + low), where low, if given, is small beside x. Overflows to infinity, underflows through the denormals to 0.
template <typename V, typename... Low>
inline V exponential(V x, Low... low) {
  constexpr bool single = isSingle<V>;
  // Beyond these bounds the result is 0 or infinity; NaN passes. A masked -inf must not underflow on its way: that
  // costs a hundred times the rest.
  MaskOf<V> vanishes = x < like(x, single ? -104 : -746);
  x = minimum(select(vanishes, like(x, 0), x), like(x, single ? 89 : 710));
  auto [n, r] = reduceExponent(x);
  ((r = r + low), ...);
  V one = like(x, 1);
  V y = fma(fma(exponentialTail(r), r, one), r, one);
  // 2^n may be no normal number, so it is two factors. The product with the first is exact, which leaves one rounding.
  BitsOf<V> half = shiftRight(n, 1);
  y = y * powerOfTwo<V>(half) * powerOfTwo<V>(sub(n, half));
  return select(vanishes, like(x, 0), y);
}

/// e^x, <= 1.1 ulp.
template <typename V>
inline V exp(V x) {
  return exponential(x);
}

/// e^r - 1 for |r| <= ln2 / 2.
template <typename V>
inline V reducedMinusOne(V r) {
  return fma(r * r, exponentialTail(r), r);
}

/// e^x - 1 for 0 <= x <= 40.
template <typename V>
inline V expMinusOne(V x) {
  auto [n, r] = reduceExponent(x);
  V scale = powerOfTwo<V>(n);
  return fma(reducedMinusOne(r), scale, scale - like(x, 1));
}

/// e^x - 1, <= 2.5 ulp. expm1(-0) = -0.
template <typename V>
inline V expm1(V x) {
  constexpr bool single = isSingle<V>;
  // Beyond these the result is -1 or infinity anyway; NaN passes.
  V bounded = minimum(maximum(x, like(x, single ? -20 : -40)), like(x, single ? 89 : 710));
  auto [n, r] = reduceExponent(bounded);
  // 2^n may be no normal number, so it is a product.
  BitsOf<V> half = shiftRight(n, 1);
  V scale = powerOfTwo<V>(sub(n, half));
  V one = powerOfTwo<V>(sub(bitsLike(n, 0), half)); // over the second factor
  V y = fma(reducedMinusOne(r), scale, scale - one) * powerOfTwo<V>(half);
  return select(x == like(x, 0), x, y);
}

/// 1 / (1 + e^-x), <= 2 ulp. From e^-|x|, so that small results keep their bits.
template <typename V>
inline V sigmoid(V x) {
  V e = exp(-abs(x));
  V one = like(x, 1);
  V sum = one + e;
  V y = select(x < like(x, 0), e, one) / sum;
  // What rounding took from the sum, to first order.
  V lost = e - (sum - one);
  return fma(-(y / sum), lost, y);
}

} // namespace plc::numerics

#endif

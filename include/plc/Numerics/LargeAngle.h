//===- LargeAngle.h - reduces angles of any size ----------------*- C++ -*-===//
//
// The reduction of Payne and Hanek, "Radian reduction for trigonometric functions" (1983): x 2/pi = n + f, with n an
// integer modulo 4 and |f| <= 1/2. Of the bits of 2/pi only those matter whose product with x is no multiple of 4 and
// not too small. It computes in f64, for f32 too.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_NUMERICS_LARGEANGLE_H
#define PLC_NUMERICS_LARGEANGLE_H

#include "plc/Numerics/Value.h"

namespace plc::numerics {

/// x = n pi/2 + high + low with |high| <= 0.84; in this order.
template <typename V>
using ReducedAngle = std::array<V, 3>;

/// 2/pi in pieces of 53 bits; piece k counts 2^(-53 k).
inline constexpr double twoOverPi[] = {
    0x145f306dc9c882p-53, 0x14a7f09d5f47d4p-53, 0x1a6ee06db14accp-53, 0x13c439041fe516p-53, 0x0757bd778ac36ep-53,
    0x091b8e909374b8p-53, 0x00324977504e8cp-53, 0x121cfe1deb1cb1p-53, 0x0534e7dd1046bep-53, 0x14baed1213a671p-53,
    0x18135a2fbf209cp-53, 0x191d639835339fp-53, 0x093908bf177bf2p-53, 0x0a0ec7fe25fff7p-53, 0x102cc07f79788cp-53,
    0x0b5a0a6d1f6d36p-53, 0x0fd9e4f96136e9p-53, 0x1d18fd9a797fa8p-53, 0x16ba93dd63f5f2p-53, 0x1f17b3d0739f78p-53,
    0x14a525d4d7f6bfp-53, 0x0c47e357421580p-53, 0x198237e3db5d5fp-53};

/// Five pieces of 2/pi and a scaled x: modulo 4, x 2/pi is the sum of x pieces[i] 2^(-53 i). From |x| = 2^(54 + 53 w)
/// on, the first is piece w, since earlier ones give multiples of 4. Later ones give less than 2^-157, and no f64 is
/// closer to a multiple of pi/2 than 2^-62.
template <typename V>
struct PiecesOfAngle {
  V x;
  std::array<V, 5> pieces;
};

template <int windows, typename V>
inline PiecesOfAngle<V> piecesOf(V x) {
  PiecesOfAngle<V> found{x, {x, x, x, x, x}};
  V size = abs(x);
  for (int i = 0; i < 5; ++i)
    found.pieces[i] = like(x, twoOverPi[i]);
  for (int w = 1; w <= windows; ++w) {
    MaskOf<V> before = size < like(x, std::ldexp(1.0, 54 + 53 * w));
    found.x = select(before, found.x, x * like(x, std::ldexp(1.0, -53 * w)));
    for (int i = 0; i < 5; ++i)
      found.pieces[i] = select(before, found.pieces[i], like(x, twoOverPi[w + i]));
  }
  return found;
}

/// A sum of terms, modulo 4: an integer n and three parts that do not overlap much, high the largest.
template <typename V>
struct SumOfTurns {
  V n, high, middle, low;

  explicit SumOfTurns(V x) : n(like(x, 0)), high(n), middle(n), low(n) {}

  void add(V term) {
    V sum = high + term, error = sumError(high, term, sum), whole = roundToEven(sum);
    n = n + whole;
    high = sum - whole;
    V next = middle + error;
    low = low + sumError(middle, error, next);
    middle = next;
  }
};

/// The remainder by 4, in [-2, 2].
template <typename V>
inline V moduloFour(V x) {
  return x - like(x, 4) * roundToEven(x * like(x, 0.25));
}

/// For |x| < 2^(107 + 53 windows); NaN for infinities.
template <int windows, typename V>
inline ReducedAngle<V> reduceTurns(V x) {
  PiecesOfAngle<V> angle = piecesOf<windows>(x);
  SumOfTurns<V> turns(x);
  for (V piece : angle.pieces) {
    V product = angle.x * piece, rest = fma(angle.x, piece, -product);
    turns.add(moduloFour(product));
    turns.add(moduloFour(rest));
    angle.x = angle.x * like(x, 0x1p-53);
  }
  V f = turns.high + turns.middle, fLow = turns.low + sumError(turns.high, turns.middle, f);
  V halfPi = like(x, 0x1.921fb54442d18p+0), halfPiLow = like(x, 0x1.1a62633145c07p-54);
  V high = f * halfPi;
  V low = fma(f, halfPi, -high) + fma(f, halfPiLow, fLow * halfPi);
  return {moduloFour(turns.n), high, low};
}

/// For any finite x; NaN for infinities.
template <typename V>
inline ReducedAngle<V> reduceLargeAngle(V x) {
  if constexpr (isSingle<V>) {
    auto [n, high, low] = reduceTurns<1>(widen(x));
    V rounded = narrow(high);
    return {narrow(n), rounded, narrow((high - widen(rounded)) + low)};
  } else {
    return reduceTurns<18>(x);
  }
}

} // namespace plc::numerics

#endif

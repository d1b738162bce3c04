//===- Value.h - the value types of the math functions ----------*- C++ -*-===//
//
// The functions of this folder are templates over a value type V: a number (float, double: the interpreter) or a
// handle that emits IR for a vector of numbers (code generation). They branch only in selectUsual and call no library,
// so both do the same IEEE operations in the same order. A V offers, found by argument-dependent lookup:
//
//   ElementOf<V>      float or double                      BitsOf<V>   integers of the same width
//   MaskOf<V>         truth values                         (specialise plc::numerics::ValueTraits<V>)
//   -a                flips the sign bit                   a + b, a - b, a * b, a / b, sqrt(a): rounded to nearest
//   fma(a, b, c)      one rounding
//   floor(a), ceil(a), roundToEven(a)                      to an integral number
//   a < b, a <= b, a > b, a >= b, a == b, a != b           IEEE comparisons, to MaskOf<V>
//   select(m, a, b)   m ? a : b, of V and of BitsOf<V>     no arithmetic on the side not taken
//   selectUsual(m, a, f)                                   m ? a : f(); f() only where some m does not hold
//   like(a, x)        the double x, exact in ElementOf<V>, as a V where a is (a gives builder and shape only)
//   toBits(a), fromBits(i)                                 the same bits
//   bitsLike(i, n)    the integer n as a BitsOf<V> where i is
//   add(i, j), sub(i, j)                                   modulo 2^width
//   bitAnd(i, j), bitOr(i, j), shiftLeft(i, n), shiftRight(i, n)   n a plain int; to the right with the sign
//   widen(a), narrow(a)                                    between a V of float and one of double
//
//===----------------------------------------------------------------------===//
#ifndef PLC_NUMERICS_VALUE_H
#define PLC_NUMERICS_VALUE_H

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace plc::numerics {

template <typename V>
struct ValueTraits;
template <>
struct ValueTraits<float> {
  using Element = float;
  using Bits = int32_t;
  using Mask = bool;
};
template <>
struct ValueTraits<double> {
  using Element = double;
  using Bits = int64_t;
  using Mask = bool;
};
template <typename V>
using ElementOf = typename ValueTraits<V>::Element;
template <typename V>
using BitsOf = typename ValueTraits<V>::Bits;
template <typename V>
using MaskOf = typename ValueTraits<V>::Mask;

/// Whether V has elements of 32 bits: chooses coefficients at compile time. The functions have them for f32 and f64; a
/// narrower type is computed in one of these.
template <typename V>
inline constexpr bool isSingle = [] {
  constexpr bool single = std::is_same_v<ElementOf<V>, float>;
  static_assert(single || std::is_same_v<ElementOf<V>, double>, "no coefficients for this element type");
  return single;
}();

// The plain numbers.

inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float sqrt(float a) { return __builtin_sqrtf(a); }
inline double sqrt(double a) { return __builtin_sqrt(a); }
inline float floor(float a) { return __builtin_floorf(a); }
inline double floor(double a) { return __builtin_floor(a); }
inline float ceil(float a) { return __builtin_ceilf(a); }
inline double ceil(double a) { return __builtin_ceil(a); }
inline float roundToEven(float a) { return __builtin_roundevenf(a); }
inline double roundToEven(double a) { return __builtin_roundeven(a); }
inline float like(float, double x) { return static_cast<float>(x); }
inline double like(double, double x) { return x; }
template <typename T>
  requires std::is_arithmetic_v<T>
inline T select(bool mask, T a, T b) {
  return mask ? a : b;
}
template <typename T, typename Rare>
  requires std::is_arithmetic_v<T>
inline T selectUsual(bool mask, T usual, Rare rare) {
  return mask ? usual : rare();
}
inline double widen(float a) { return a; }
inline float narrow(double a) { return static_cast<float>(a); }

inline int32_t toBits(float a) { return std::bit_cast<int32_t>(a); }
inline int64_t toBits(double a) { return std::bit_cast<int64_t>(a); }
inline float fromBits(int32_t i) { return std::bit_cast<float>(i); }
inline double fromBits(int64_t i) { return std::bit_cast<double>(i); }

template <typename I>
concept PlainBits = std::is_same_v<I, int32_t> || std::is_same_v<I, int64_t>;
template <PlainBits I>
inline I bitsLike(I, int64_t n) {
  return static_cast<I>(n);
}
template <PlainBits I>
inline I add(I i, I j) {
  using U = std::make_unsigned_t<I>;
  return static_cast<I>(static_cast<U>(i) + static_cast<U>(j));
}
template <PlainBits I>
inline I sub(I i, I j) {
  using U = std::make_unsigned_t<I>;
  return static_cast<I>(static_cast<U>(i) - static_cast<U>(j));
}
template <PlainBits I>
inline I bitAnd(I i, I j) {
  return i & j;
}
template <PlainBits I>
inline I bitOr(I i, I j) {
  return i | j;
}
template <PlainBits I>
inline I shiftLeft(I i, int n) {
  return static_cast<I>(static_cast<std::make_unsigned_t<I>>(i) << n);
}
template <PlainBits I>
inline I shiftRight(I i, int n) {
  return i >> n;
}

// What the functions build on these.

/// The layout of the element: bits of the fraction, bias of the exponent.
template <typename V>
inline constexpr int fractionBits = isSingle<V> ? 23 : 52;
template <typename V>
inline constexpr int exponentBias = isSingle<V> ? 127 : 1023;

/// c[0] + c[1] v + ... as one chain of fma from the highest term; coefficients are exact in the element.
template <typename V, int N>
inline V polynomial(V v, const double (&c)[N]) {
  V result = like(v, c[N - 1]);
  for (int i = N - 2; i >= 0; --i)
    result = fma(result, v, like(v, c[i]));
  return result;
}

/// The number 1.5 * 2^fractionBits: y = x + magic holds rint(x) in its low bits, while |x| < 2^(fractionBits - 1).
template <typename V>
inline V magic(V like_) {
  return like(like_, isSingle<V> ? 0x1.8p23 : 0x1.8p52);
}

/// 2^n for an integer n within the exponents of normal numbers.
template <typename V>
inline V powerOfTwo(BitsOf<V> n) {
  return fromBits(shiftLeft(add(n, bitsLike(n, exponentBias<V>)), fractionBits<V>));
}

/// The rounding error of a + b, exactly, whichever of the two is larger (Knuth, The Art of Computer Programming, volume
/// 2, section 4.2.2).
template <typename V>
inline V sumError(V a, V b, V sum) {
  V back = sum - a;
  return (a - (sum - back)) + (b - back);
}

/// |x|: clears the sign bit.
template <typename V>
inline V abs(V x) {
  BitsOf<V> i = toBits(x);
  return fromBits(bitAnd(i, bitsLike(i, isSingle<V> ? INT32_MAX : INT64_MAX)));
}

/// y >= 0 with the sign bit of x.
template <typename V>
inline V withSignOf(V y, V x) {
  BitsOf<V> i = toBits(x);
  return fromBits(bitOr(toBits(y), bitAnd(i, bitsLike(i, isSingle<V> ? int64_t(INT32_MIN) : INT64_MIN))));
}

/// b if it is above a or NaN, else a. So a tie (0 and -0 too) gives a, and a NaN on either side is the result. If b is
/// a constant, as in clamping, its own comparison folds away.
template <typename V>
inline V maximum(V a, V b) {
  return select(b != b, b, select(b > a, b, a));
}
/// b if it is below a or NaN, else a.
template <typename V>
inline V minimum(V a, V b) {
  return select(b != b, b, select(b < a, b, a));
}

} // namespace plc::numerics

#endif

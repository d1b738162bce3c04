//===- NarrowReals.h - 16-bit reals as storage types ------------*- C++ -*-===//
//
// The 16 bits of a bf16 or an f16. Each value of these is also an f32. Any other number is rounded once, to nearest,
// ties to even, subnormals included. Compiled code converts with the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_SUPPORT_NARROWREALS_H
#define PLC_SUPPORT_NARROWREALS_H

#include <bit>
#include <cstdint>
#include <type_traits>

namespace plc {

/// `x` rounded to `fractionBits` bits of fraction, with no step finer than 2^leastStep; infinite from 2^overflow on.
constexpr double roundedTo(double x, int fractionBits, int leastStep, int overflow) {
  auto word = std::bit_cast<uint64_t>(x);
  uint64_t sign = word & 0x8000000000000000u, magnitude = word & 0x7fffffffffffffffu;
  if (magnitude >= 0x7ff0000000000000u)
    return x; // infinite, or NaN
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < leastStep + fractionBits) {
    // Subnormal: at 2^(52 + leastStep) doubles have steps of 2^leastStep, so adding that number rounds.
    auto far = std::bit_cast<double>(static_cast<uint64_t>(1023 + 52 + leastStep) << 52);
    double rounded = (std::bit_cast<double>(magnitude) + far) - far;
    return std::bit_cast<double>(std::bit_cast<uint64_t>(rounded) | sign);
  }
  /// Normal: add half of the last kept bit, less one if that bit is even, then cut. A carry into the exponent is
  /// correct.
  int dropped = 52 - fractionBits;
  magnitude += (uint64_t(1) << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
  magnitude = magnitude >> dropped << dropped;
  if (static_cast<int>(magnitude >> 52) - 1023 >= overflow)
    magnitude = 0x7ff0000000000000u;
  return std::bit_cast<double>(sign | magnitude);
}

/// A real of 16 bits: a sign, an exponent and `fractionBits` of fraction. Numbers are rounded by `roundedTo`.
template <int fractionBits, int leastStep, int overflow>
struct NarrowReal {
  uint16_t bits = 0;

  NarrowReal() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit NarrowReal(T x) : bits(bitsOf(static_cast<double>(x))) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit operator T() const {
    return static_cast<T>(wide());
  }

private:
  static constexpr int dropped = 23 - fractionBits; // of the bits of an f32
  static constexpr uint32_t infinity = 0x7fff >> fractionBits << fractionBits;
  /// The quotient of a number and the f32 with its exponent's bits, and the inverse. Both are powers of two, so
  /// products with them are exact, also of subnormal numbers.
  static constexpr float scale = std::bit_cast<float>(uint32_t(255 - overflow) << 23), inverse = 1 / scale;

  constexpr float wide() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= infinity) // or NaN
      return std::bit_cast<float>(sign | 0x7f800000 | (magnitude - infinity) << dropped);
    return std::bit_cast<float>(sign | magnitude << dropped) * scale;
  }
  static constexpr uint16_t bitsOf(double x) {
    if (x != x)
      return infinity | 1 << (fractionBits - 1);
    auto rounded = static_cast<float>(roundedTo(x, fractionBits, leastStep, overflow));
    auto word = std::bit_cast<uint32_t>(rounded), sign = word >> 16 & 0x8000;
    if ((word & 0x7fffffff) == 0x7f800000)
      return static_cast<uint16_t>(sign | infinity);
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded * inverse) & 0x7fffffff) >> dropped);
  }
};

using BFloat16 = NarrowReal<7, -133, 128>; ///< the upper half of an f32
using Float16 = NarrowReal<10, -24, 16>;   ///< IEEE 754's binary16

template <int fractionBits, int leastStep, int overflow>
constexpr bool operator==(NarrowReal<fractionBits, leastStep, overflow> a,
                          NarrowReal<fractionBits, leastStep, overflow> b) {
  return static_cast<float>(a) == static_cast<float>(b);
}

} // namespace plc

#endif

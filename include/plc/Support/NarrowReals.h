//===- NarrowReals.h - reals that are stored, never computed with -*- C++ -*-===//
//
// The 16 bits of a bf16 or an f16. Each of their values is an f32; any other number is rounded once, to nearest, ties to
// even, subnormals too. That is what every conversion between element types means: compiled code gives the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_SUPPORT_NARROWREALS_H
#define PLC_SUPPORT_NARROWREALS_H

#include <bit>
#include <cstdint>
#include <type_traits>

namespace plc {

/// `x` as the nearest number with so many bits of fraction and no finer step than 2^leastStep; infinite from 2^overflow on.
constexpr double roundedTo(double x, int fractionBits, int leastStep, int overflow) {
  auto word = std::bit_cast<uint64_t>(x);
  uint64_t sign = word & 0x8000000000000000u, magnitude = word & 0x7fffffffffffffffu;
  if (magnitude >= 0x7ff0000000000000u)
    return x; // infinite, or NaN
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < leastStep + fractionBits) {
    // Behind 2^(52 + leastStep) doubles have steps of 2^leastStep.
    auto far = std::bit_cast<double>(static_cast<uint64_t>(1023 + 52 + leastStep) << 52);
    double rounded = (std::bit_cast<double>(magnitude) + far) - far;
    return std::bit_cast<double>(std::bit_cast<uint64_t>(rounded) | sign);
  }
  int dropped = 52 - fractionBits;
  magnitude += (uint64_t(1) << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
  magnitude = magnitude >> dropped << dropped;
  if (static_cast<int>(magnitude >> 52) - 1023 >= overflow)
    magnitude = 0x7ff0000000000000u;
  return std::bit_cast<double>(sign | magnitude);
}

/// The upper half of an f32.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit BFloat16(T x) : bits(bitsOf(static_cast<double>(x))) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit operator T() const {
    return static_cast<T>(std::bit_cast<float>(uint32_t(bits) << 16));
  }

private:
  static constexpr uint16_t bitsOf(double x) {
    if (x != x)
      return 0x7fc0;
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(roundedTo(x, 7, -133, 128))) >> 16);
  }
};

/// IEEE 754's binary16: 5 bits of exponent, 10 of fraction.
struct Float16 {
  uint16_t bits = 0;

  Float16() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit Float16(T x) : bits(bitsOf(static_cast<double>(x))) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr explicit operator T() const {
    return static_cast<T>(wide());
  }

private:
  constexpr float wide() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 0) { // subnormal or zero: a multiple of 2^-24
      float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    uint32_t widened = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
  }
  static constexpr uint16_t bitsOf(double x) {
    if (x != x)
      return 0x7e00;
    auto word = std::bit_cast<uint32_t>(static_cast<float>(roundedTo(x, 10, -24, 16)));
    uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    if (magnitude >= 0x7f800000)
      return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000) // below 2^-14
      return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24f));
    return static_cast<uint16_t>(sign | ((magnitude >> 13) - (112 << 10)));
  }
};

constexpr bool operator==(BFloat16 a, BFloat16 b) { return static_cast<float>(a) == static_cast<float>(b); }
constexpr bool operator==(Float16 a, Float16 b) { return static_cast<float>(a) == static_cast<float>(b); }

} // namespace plc

#endif

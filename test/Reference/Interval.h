//===- Interval.h - what any correctly rounded run may give -----*- C++ -*-===//
//
// Intervals that hold the result of an operation in f32 and in f64 for any operands in intervals. Each operation is one
// rounding of half an ulp, each function 2 ulp or more (FunctionAccuracyTest), a sum of n terms Higham's gamma_n times
// the sum of sizes, whatever its order. Nothing is tuned. An interval without end says nothing: the result may be NaN.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_TEST_REFERENCE_INTERVAL_H
#define PLC_TEST_REFERENCE_INTERVAL_H

#include <algorithm>
#include <cmath>
#include <limits>

struct Interval {
  double low = 0, high = 0;

  static Interval all() { return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}; }
  static Interval truth(bool maybeFalse, bool maybeTrue) { return {maybeFalse ? 0.0 : 1.0, maybeTrue ? 1.0 : 0.0}; }
  bool isBounded() const { return std::isfinite(low) && std::isfinite(high); }
  bool contains(double x) const { return low <= x && x <= high; }
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

// Half an ulp of f32 and what the f64 arithmetic here rounds itself; the least denormal of f32.
inline constexpr double unit = 0x1p-24 * (1 + 0x1p-20), least = 0x1p-149;

/// gamma_n = n u / (1 - n u).
inline double gammaOf(double n) { return n * unit / (1 - n * unit); }

/// `exact` with an error of `relative` of each number in it and of `absolute`; nothing is known beyond f32's range.
inline Interval rounded(Interval exact, double relative = unit, double absolute = least) {
  double low = exact.low - (std::abs(exact.low) * relative + absolute);
  double high = exact.high + (std::abs(exact.high) * relative + absolute);
  bool inside = low >= -0x1p127 && high <= 0x1p127; // false for NaN
  return inside ? Interval{low, high} : Interval::all();
}
inline Interval functionOf(Interval exact, double ulp = 2) { return rounded(exact, 2 * ulp * unit, 2 * ulp * least); }

template <typename F>
Interval increasing(Interval x, F f, double ulp = 2) {
  return functionOf({f(x.low), f(x.high)}, ulp);
}

inline Interval add(Interval a, Interval b) { return rounded({a.low + b.low, a.high + b.high}); }
inline Interval negate(Interval a) { return {-a.high, -a.low}; }

inline Interval product(Interval a, Interval b) {
  if (!a.isBounded() || !b.isBounded())
    return Interval::all();
  auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}
inline Interval multiply(Interval a, Interval b) { return rounded(product(a, b)); }

inline Interval divide(Interval a, Interval b) {
  if (b.contains(0) || !a.isBounded() || !b.isBounded())
    return Interval::all();
  auto [low, high] = std::minmax({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  return rounded({low, high});
}

inline Interval unite(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

inline Interval absolute(Interval x) {
  double least = x.contains(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  return {least, x.size()};
}

/// sin and cos move at most as far as their argument.
template <typename F>
Interval waving(Interval x, F f) {
  if (!x.isBounded())
    return Interval::all();
  double middle = f((x.low + x.high) / 2), reach = (x.high - x.low) / 2;
  return functionOf({std::max(-1.0, middle - reach), std::min(1.0, middle + reach)});
}

inline Interval tangent(Interval x) {
  // Between two poles it grows.
  bool oneBranch = std::floor(x.low / M_PI + 0.5) == std::floor(x.high / M_PI + 0.5);
  return oneBranch && x.isBounded() ? increasing(x, [](double t) { return std::tan(t); }) : Interval::all();
}

inline Interval power(Interval a, Interval b) {
  if (b.low == b.high && b.low == std::floor(b.low) && b.low >= 0 && b.low <= 64 && a.isBounded()) {
    Interval size = absolute(a);
    double low = std::pow(size.low, b.low), high = std::pow(size.high, b.low);
    bool odd = std::fmod(b.low, 2) == 1;
    if (odd)
      return functionOf({std::pow(a.low, b.low), std::pow(a.high, b.low)});
    return functionOf({low, high});
  }
  if (!(a.low > 0) || !a.isBounded() || !b.isBounded())
    return Interval::all();
  auto [low, high] =
      std::minmax({std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low), std::pow(a.high, b.high)});
  return functionOf({low, high});
}

/// A sum whose terms lie between `low` and `high` in all, with `size` the sum of their sizes, in n roundings.
inline Interval sumOf(Interval terms, double size, double n) {
  double error = gammaOf(n) * size + n * least;
  return rounded({terms.low - error, terms.high + error}, 0x1p-50, 0);
}

#endif

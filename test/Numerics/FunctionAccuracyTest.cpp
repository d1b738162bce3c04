//===- FunctionAccuracyTest.cpp - errors of the math functions in ulp -----===//
// f32 against libm's f64, f64 against libm's long double. The bounds are those that the headers promise.
#include "plc/Numerics/RecipeOfFunction.h"

#include <cfloat>
#include <gtest/gtest.h>
#include <limits>

namespace numerics = plc::numerics;

namespace {

template <typename T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// |found - expected| in units of the last place of T at `expected`.
template <typename T>
double errorInUlp(T found, Wider<T> expected) {
  if (std::isnan(expected))
    return std::isnan(found) ? 0 : HUGE_VAL;
  if (found == static_cast<T>(expected))
    return 0;
  if (std::isnan(found) || std::isinf(found))
    return HUGE_VAL;
  int exponent = std::max(std::ilogb(expected), std::numeric_limits<T>::min_exponent - 1);
  Wider<T> ulp = std::scalbn(Wider<T>(1), exponent - (std::numeric_limits<T>::digits - 1));
  return static_cast<double>(std::abs(Wider<T>(found) - expected) / ulp);
}

struct Worst {
  double ulp = 0, at = 0;
};

/// Largest error over bit patterns from `low` to `high` (both of one sign), every `stride`-th.
template <typename T, typename Found, typename Expected>
Worst worstError(T low, T high, Found found, Expected expected, int64_t samples) {
  Worst worst;
  int64_t first = numerics::toBits(std::abs(low)), last = numerics::toBits(std::abs(high));
  if (first > last)
    std::swap(first, last);
  int64_t stride = std::max<int64_t>(1, (last - first) / samples) | 1;
  for (int64_t bits = first; bits <= last && bits >= first; bits += stride) {
    T x = numerics::fromBits(static_cast<numerics::BitsOf<T>>(bits));
    if (std::signbit(low))
      x = -x;
    double ulp = errorInUlp<T>(found(x), expected(Wider<T>(x)));
    if (!(ulp <= worst.ulp))
      worst = {ulp, x};
  }
  return worst;
}

constexpr bool wide(auto x) { return sizeof(x) == 8; }

template <typename T>
class Accuracy : public testing::Test {
protected:
  template <typename Found, typename Expected>
  void check(T low, T high, Found found, Expected expected, double bound, int64_t samples = 300000) {
    Worst worst = worstError<T>(low, high, found, expected, samples);
    EXPECT_LE(worst.ulp, bound) << "at " << worst.at;
    std::printf("  [%g, %g]: %.3f ulp at %a\n", double(low), double(high), worst.ulp, worst.at);
  }

  /// Over all finite angles; those of a few iterations; those around the largest that three constants reduce.
  template <typename Found, typename Expected>
  void checkAngles(Found found, Expected expected, double bound) {
    T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
    T far = wide(T()) ? 0x1p45 : 0x1p20;
    for (T sign : {T(1), T(-1)}) {
      check(sign * tiny, sign * huge, found, expected, bound, 1000000);
      check(sign * T(0.1), sign * T(100), found, expected, bound, 1000000);
      check(sign * far / 64, sign * far * 64, found, expected, bound, 1000000);
    }
  }
};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(Accuracy, Elements);

TYPED_TEST(Accuracy, Exp) {
  using T = TypeParam;
  T top = wide(T()) ? 709.7 : 88.7, bottom = wide(T()) ? -708 : -87;
  auto found = [](T x) { return numerics::exp(x); };
  auto expected = [](auto x) { return std::exp(x); };
  this->check(T(1e-30), top, found, expected, 1.1);
  this->check(T(0.01), top, found, expected, 1.1);
  this->check(T(-1e-30), bottom, found, expected, 1.1);
  this->check(T(-0.01), bottom, found, expected, 1.1);
  this->check(bottom, T(wide(T()) ? -745.2 : -104), found, expected, 1.1);
}

TYPED_TEST(Accuracy, Expm1) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::expm1(x); };
  auto expected = [](auto x) { return std::expm1(x); };
  T tiny = std::numeric_limits<T>::denorm_min();
  this->check(tiny, T(wide(T()) ? 709.7 : 88.7), found, expected, 2.5);
  this->check(-tiny, T(-200), found, expected, 2.5);
  for (T sign : {T(1), T(-1)})
    this->check(sign * T(0.01), sign * T(40), found, expected, 2.5);
}

TYPED_TEST(Accuracy, Log) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::log(x); };
  auto expected = [](auto x) { return std::log(x); };
  this->check(std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), found, expected, 1.1, 1000000);
  this->check(T(0.5), T(2), found, expected, 1.1, 1000000);
  this->check(T(0.99), T(1.01), found, expected, 1.1);
}

TYPED_TEST(Accuracy, Tanh) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::tanh(x); };
  auto expected = [](auto x) { return std::tanh(x); };
  this->check(std::numeric_limits<T>::denorm_min(), T(25), found, expected, 1.6);
  this->check(T(-0.1), T(-20), found, expected, 1.6, 1000000);
}

TYPED_TEST(Accuracy, Erf) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::erf(x); };
  auto expected = [](auto x) { return std::erf(x); };
  this->check(std::numeric_limits<T>::min(), T(8), found, expected, 1.5);
  this->check(T(-0.1), T(-6.5), found, expected, 1.5, 1000000);
}

// Below, every value that the function has, denormals too.
TYPED_TEST(Accuracy, NormalDistribution) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::ndtr(x); };
  auto expected = [](auto x) { return std::erfc(-x / std::sqrt(decltype(x)(2))) / 2; };
  T tiny = std::numeric_limits<T>::denorm_min();
  this->check(tiny, T(40), found, expected, 4);
  this->check(-tiny, T(wide(T()) ? -38.6 : -14.3), found, expected, 4);
  for (T sign : {T(1), T(-1)})
    this->check(sign * T(0.1), sign * T(wide(T()) ? 38 : 14), found, expected, 4);
}

TYPED_TEST(Accuracy, Sigmoid) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::sigmoid(x); };
  auto expected = [](auto x) {
    auto e = std::exp(-std::abs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
  };
  this->check(T(1e-30), T(100), found, expected, 2);
  this->check(T(-0.01), T(wide(T()) ? -745 : -103), found, expected, 2, 1000000);
}

TYPED_TEST(Accuracy, Rsqrt) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::rsqrt(x); };
  auto expected = [](auto x) { return 1 / std::sqrt(x); };
  this->check(std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), found, expected, 1.5, 1000000);
}

TYPED_TEST(Accuracy, Log1p) {
  using T = TypeParam;
  auto found = [](T x) { return numerics::log1p(x); };
  auto expected = [](auto x) { return std::log1p(x); };
  this->check(std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), found, expected, 2, 1000000);
  this->check(T(1e-4), T(4), found, expected, 2, 1000000);
  this->check(-std::numeric_limits<T>::denorm_min(), T(-0.99999), found, expected, 2, 1000000);
}

TYPED_TEST(Accuracy, SineAndCosine) {
  using T = TypeParam;
  this->checkAngles([](T x) { return numerics::sin(x); }, [](auto x) { return std::sin(x); }, 1.2);
  this->checkAngles([](T x) { return numerics::cos(x); }, [](auto x) { return std::cos(x); }, 1.2);
}

TYPED_TEST(Accuracy, Tangent) {
  using T = TypeParam;
  this->checkAngles([](T x) { return numerics::tan(x); }, [](auto x) { return std::tan(x); }, 2);
}

// The f64 and f32 that come nearest to a multiple of pi/2, as found by continued fractions: almost all bits cancel.
TEST(Trigonometric, NearlyWholeQuarters) {
  double x = std::ldexp(6381956970095103, 797);
  EXPECT_EQ(numerics::cos(x), -0x1.14ae72e6ba22fp-61);
  EXPECT_EQ(numerics::sin(x), 1);
  EXPECT_LE(errorInUlp<double>(numerics::tan(x), std::tan(static_cast<long double>(x))), 2);
  float y = std::ldexp(16367173.0f, 72);
  EXPECT_LE(errorInUlp<float>(numerics::sin(y), std::sin(static_cast<double>(y))), 1.2);
  EXPECT_LE(errorInUlp<float>(numerics::cos(y), std::cos(static_cast<double>(y))), 1.2);
  EXPECT_LE(errorInUlp<float>(numerics::tan(y), std::tan(static_cast<double>(y))), 2);
}

TYPED_TEST(Accuracy, Power) {
  using T = TypeParam;
  for (double y : {2.0, 3.0, 0.5, -1.0, -0.37, 1.0 / 3, 17.3, 1e-3, -63.0, 200.7}) {
    auto found = [=](T x) { return numerics::pow(x, T(y)); };
    auto expected = [=](auto x) { return std::pow(x, decltype(x)(T(y))); };
    this->check(std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), found, expected, 2, 200000);
    this->check(T(0.5), T(2), found, expected, 2, 200000);
  }
  for (double x : {2.0, 0.1, 1.0000001, 0.9999, 1e10, 7e-20}) {
    auto found = [=](T y) { return numerics::pow(T(x), y); };
    auto expected = [=](auto y) { return std::pow(decltype(y)(T(x)), y); };
    this->check(T(1e-6), T(1e4), found, expected, 2, 200000);
    this->check(T(-1e-6), T(-1e4), found, expected, 2, 200000);
  }
}

template <typename T>
bool same(T a, T b) {
  return std::isnan(b) ? std::isnan(a) : numerics::toBits(a) == numerics::toBits(b);
}

TYPED_TEST(Accuracy, SpecialValues) {
  using T = TypeParam;
  T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  T zero = 0, minus = -zero, one = 1, tiny = std::numeric_limits<T>::denorm_min();
  struct Case {
    T (*function)(T);
    T x, y;
  } cases[] = {
      {numerics::exp, zero, one},      {numerics::exp, minus, one},      {numerics::exp, -inf, zero},
      {numerics::exp, inf, inf},       {numerics::exp, nan, nan},        {numerics::exp, T(1e4), inf},
      {numerics::exp, T(-1e4), zero},  {numerics::exp, tiny, one},       {numerics::log, zero, -inf},
      {numerics::log, minus, -inf},    {numerics::log, T(-1), nan},      {numerics::log, inf, inf},
      {numerics::log, -inf, nan},      {numerics::log, nan, nan},        {numerics::log, one, zero},
      {numerics::log, -tiny, nan},     {numerics::tanh, minus, minus},   {numerics::tanh, zero, zero},
      {numerics::tanh, inf, one},      {numerics::tanh, -inf, -one},     {numerics::tanh, nan, nan},
      {numerics::tanh, tiny, tiny},    {numerics::tanh, -tiny, -tiny},   {numerics::erf, minus, minus},
      {numerics::erf, zero, zero},     {numerics::erf, inf, one},        {numerics::erf, -inf, -one},
      {numerics::erf, nan, nan},       {numerics::erf, tiny, tiny},      {numerics::sigmoid, zero, T(0.5)},
      {numerics::sigmoid, inf, one},   {numerics::sigmoid, -inf, zero},  {numerics::sigmoid, nan, nan},
      {numerics::rsqrt, zero, inf},    {numerics::rsqrt, minus, -inf},   {numerics::rsqrt, inf, zero},
      {numerics::rsqrt, -one, nan},    {numerics::rsqrt, nan, nan},      {numerics::rsqrt, T(4), T(0.5)},
      {numerics::relu, minus, minus},  {numerics::relu, -one, zero},     {numerics::relu, nan, nan},
      {numerics::sign, minus, zero},   {numerics::sign, -tiny, -one},    {numerics::sign, nan, zero},
      {numerics::log1p, minus, minus}, {numerics::log1p, -one, -inf},    {numerics::log1p, inf, inf},
      {numerics::log1p, T(-2), nan},   {numerics::log1p, nan, nan},      {numerics::log1p, -tiny, -tiny},
      {numerics::sin, minus, minus},   {numerics::sin, zero, zero},      {numerics::sin, inf, nan},
      {numerics::sin, tiny, tiny},     {numerics::sin, nan, nan},        {numerics::cos, minus, one},
      {numerics::cos, -inf, nan},      {numerics::cos, nan, nan},        {numerics::cos, tiny, one},
      {numerics::tan, minus, minus},   {numerics::tan, inf, nan},        {numerics::tan, -tiny, -tiny},
      {numerics::sin, -inf, nan},      {numerics::cos, inf, nan},        {numerics::tan, -inf, nan},
      {numerics::tan, zero, zero},     {numerics::tan, nan, nan},        {numerics::cos, -tiny, one},
      {numerics::expm1, minus, minus}, {numerics::expm1, zero, zero},    {numerics::expm1, inf, inf},
      {numerics::expm1, -inf, -one},   {numerics::expm1, nan, nan},      {numerics::expm1, -tiny, -tiny},
      {numerics::expm1, T(1e4), inf},  {numerics::expm1, -T(1e4), -one}, {numerics::ndtr, nan, nan},
      {numerics::ndtr, minus, T(0.5)}, {numerics::ndtr, zero, T(0.5)},   {numerics::ndtr, inf, one},
      {numerics::ndtr, -inf, zero},    {numerics::ndtr, T(1e9), one},    {numerics::ndtr, T(-1e9), zero},
      {numerics::abs, minus, zero},    {numerics::abs, -inf, inf},       {numerics::abs, nan, nan},
  };
  for (const Case &c : cases)
    EXPECT_TRUE(same(c.function(c.x), c.y)) << "case " << &c - cases << ": " << c.function(c.x) << " for " << c.x;
}

TYPED_TEST(Accuracy, SpecialPowers) {
  using T = TypeParam;
  T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(),
    tiny = std::numeric_limits<T>::denorm_min();
  T large = std::numeric_limits<T>::max(),
    numbers[] = {0, 1, 2, 3, T(0.5), T(2.5), T(1e30), T(3e-30), 16777215, inf, nan, tiny, large};
  for (T x : numbers)
    for (T y : numbers)
      for (T a : {x, -x})
        for (T b : {y, -y}) {
          T found = numerics::pow(a, b);
          Wider<T> expected = std::pow(Wider<T>(a), Wider<T>(b));
          T rounded = T(expected);
          bool exact = rounded == 0 || rounded == 1 || std::isinf(rounded) || std::isnan(rounded);
          EXPECT_TRUE(exact ? same(found, rounded) : errorInUlp<T>(found, expected) <= 2)
              << a << " ^ " << b << ": " << found;
        }
}

TYPED_TEST(Accuracy, TiesGoToTheFirstAndNaNWins) {
  using T = TypeParam;
  T nan = std::numeric_limits<T>::quiet_NaN(), zero = 0, minus = -zero;
  EXPECT_TRUE(same(numerics::maximum(zero, minus), zero));
  EXPECT_TRUE(same(numerics::maximum(minus, zero), minus));
  EXPECT_TRUE(same(numerics::minimum(zero, minus), zero));
  EXPECT_TRUE(same(numerics::maximum(nan, zero), nan));
  EXPECT_TRUE(same(numerics::maximum(zero, nan), nan));
  EXPECT_TRUE(same(numerics::minimum(nan, zero), nan));
  EXPECT_TRUE(same(numerics::minimum(zero, nan), nan));
}

} // namespace

#include "plc/Runtime/Tensors/InitialValues.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace plc::runtime;
using plc::ElementType;

TEST(InitialValues, LogIsTheLogarithm) {
  for (double x = 1e-300; x < 1e300; x *= 1.37)
    EXPECT_NEAR(plainLog(x), std::log(x), 1e-14 * std::fabs(std::log(x)) + 1e-16) << x;
  EXPECT_EQ(plainLog(1), 0);
  EXPECT_NEAR(plainLog(5e-324), std::log(5e-324), 1e-12);
}

TEST(InitialValues, ExpIsTheExponential) {
  for (double x = -699; x <= 0; x += 0.0173)
    EXPECT_NEAR(plainExp(x) / std::exp(x), 1, 1e-14) << x;
  EXPECT_EQ(plainExp(0), 1);
  EXPECT_EQ(plainExp(-INFINITY), 0);
}

TEST(InitialValues, UniformIsNeverZeroOrOne) {
  EXPECT_GT(uniformFromBits(0), 0);
  EXPECT_LT(uniformFromBits(~uint64_t(0)), 1);
}

// Moments of 100000 draws, within five standard errors.
TEST(InitialValues, NormalDrawsAreNormal) {
  constexpr int count = 100000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < count; ++i) {
    double x = normalDraw(7, 11, static_cast<uint64_t>(i));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96.0 / count));
}

TEST(InitialValues, DependOnSeedPathAndElementAlone) {
  ParameterInfo parameter{"a.w", ElementType::F64, {40}, {Initializer::Kind::Normal, 0, 0.5}, false};
  double first[40], again[40], other[40];
  fillInitialValues(parameter, 3, first);
  // The first elements of a longer parameter are the same.
  parameter.shape = {20};
  fillInitialValues(parameter, 3, again);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(first[i], again[i]);
  parameter.path = "a.v";
  fillInitialValues(parameter, 3, other);
  EXPECT_NE(first[0], other[0]);
  parameter.path = "a.w";
  fillInitialValues(parameter, 4, other);
  EXPECT_NE(first[0], other[0]);
}

TEST(InitialValues, F32IsRoundedF64) {
  ParameterInfo parameter{"w", ElementType::F64, {64}, {Initializer::Kind::Uniform, 0, 1, -2, 5}, false};
  double wide[64];
  float narrow[64];
  fillInitialValues(parameter, 1, wide);
  parameter.type = ElementType::F32;
  fillInitialValues(parameter, 1, narrow);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
    EXPECT_TRUE(wide[i] > -2 && wide[i] < 5);
  }
}

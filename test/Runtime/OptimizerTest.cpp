#include "plc/Runtime/Optimizer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace plc::runtime;

// The update written out once more, plainly, for one element.
template <class T> struct PlainAdamW {
  T w, m = 0, v = 0;
  void step(const AdamW &s, int t, T g) {
    double power1 = 1, power2 = 1;
    for (int i = 0; i < t; ++i) {
      power1 *= s.beta1;
      power2 *= s.beta2;
    }
    m = T(s.beta1) * m + T(1 - s.beta1) * g;
    v = T(s.beta2) * v + (T(1 - s.beta2) * g) * g;
    T root = std::sqrt(v) / T(std::sqrt(1 - power2)) + T(s.eps);
    w = w * T(1 - s.lr * s.weightDecay) - T(s.lr / (1 - power1)) * (m / root);
  }
};

template <class T> void compareWithPlain(ElementType type) {
  constexpr int64_t count = 3000; // more than two blocks, and a ragged end
  AdamW settings;
  std::vector<T> value(count), m(count), v(count), first(count), second(count);
  std::vector<PlainAdamW<T>> plain(count);
  for (int64_t i = 0; i < count; ++i)
    value[i] = plain[i].w = T(i % 17) / 7;
  for (int step = 1; step <= 3; ++step) {
    for (int64_t i = 0; i < count; ++i) {
      first[i] = T(i % 13 - 6) / (3 + step);
      second[i] = T(i % 5) / 11;
      plain[i].step(settings, step, first[i] + second[i]);
    }
    const void *sites[] = {first.data(), second.data()};
    updateParameter(AdamWFactors(settings, step), type, count, sites, value.data(), m.data(), v.data());
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(value[i], plain[i].w) << "element " << i << ", step " << step;
      ASSERT_EQ(m[i], plain[i].m);
      ASSERT_EQ(v[i], plain[i].v);
    }
  }
}

TEST(Optimizer, UpdatesAsWrittenInF32) { compareWithPlain<float>(ElementType::F32); }
TEST(Optimizer, UpdatesAsWrittenInF64) { compareWithPlain<double>(ElementType::F64); }

// The first step moves every element by about lr against the sign of its gradient.
TEST(Optimizer, FirstStepHasLengthLr) {
  AdamW settings;
  settings.weightDecay = 0;
  double value[2] = {1, 1}, m[2] = {}, v[2] = {}, gradient[2] = {1e-3, -50};
  const void *sites[] = {gradient};
  updateParameter(AdamWFactors(settings, 1), ElementType::F64, 2, sites, value, m, v);
  EXPECT_NEAR(value[0], 1 - settings.lr, 1e-8);
  EXPECT_NEAR(value[1], 1 + settings.lr, 1e-8);
}

TEST(Optimizer, SquaresAreSummedInSixteenLanes) {
  constexpr int64_t count = 1024 + 21;
  std::vector<float> gradient(count), value(count), m(count), v(count);
  double lanes[16] = {};
  for (int64_t i = 0; i < count; ++i) {
    gradient[i] = 1.0f / static_cast<float>(i + 3);
    lanes[i % 16] += double(gradient[i]) * double(gradient[i]);
  }
  for (int half = 8; half; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  const void *sites[] = {gradient.data()};
  EXPECT_EQ(updateParameter(AdamWFactors(AdamW(), 1), ElementType::F32, count, sites, value.data(), m.data(), v.data()),
            lanes[0]);
}

TEST(Optimizer, NormAddsInPathOrder) {
  GradientNorm norm;
  norm.add("b", 1e-17);
  norm.add("a", 1);
  norm.add("c", 8);
  EXPECT_EQ(norm.norm(), std::sqrt((1 + 1e-17) + 8));
}

#include "plc/Runtime/Base/Average.h"
#include "plc/Runtime/Base/Optimizer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace plc::runtime;
using plc::ElementType;

// The update written out once more, plainly, for one element.
template <class T>
struct PlainAdamW {
  T w, m = 0, v = 0;
  void step(const OptimizerSettings &s, int t, T g) {
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

template <class T>
void compareWithPlain(ElementType type) {
  constexpr int64_t count = 3000; // more than two blocks, and a ragged end
  OptimizerSettings settings;
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
    void *const moments[] = {m.data(), v.data()};
    updateParameter(StepFactors(settings, step), type, count, sites, value.data(), moments);
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
  OptimizerSettings settings;
  settings.weightDecay = 0;
  double value[2] = {1, 1}, m[2] = {}, v[2] = {}, gradient[2] = {1e-3, -50};
  const void *sites[] = {gradient};
  void *const moments[] = {m, v};
  updateParameter(StepFactors(settings, 1), ElementType::F64, 2, sites, value, moments);
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
  void *const moments[] = {m.data(), v.data()};
  EXPECT_EQ(sumOfSquares(ElementType::F32, count, sites), lanes[0]);
  EXPECT_EQ(updateParameter(StepFactors(OptimizerSettings(), 1), ElementType::F32, count, sites, value.data(), moments),
            lanes[0]);
}

TEST(Optimizer, SquaresOfPartsAreAddedInOrder) {
  constexpr int64_t count = 2 * updatedPart + 5;
  std::vector<double> gradient(count);
  for (int64_t i = 0; i < count; ++i)
    gradient[i] = 1 / static_cast<double>(i + 3);
  const void *sites[] = {gradient.data()};
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += updatedPart) {
    const void *part[] = {gradient.data() + begin};
    sum += sumOfSquares(ElementType::F64, std::min(updatedPart, count - begin), part);
  }
  EXPECT_EQ(sumOfSquares(ElementType::F64, count, sites), sum);
  // Threads update parts in any order.
  StepFactors factors(OptimizerSettings(), 1);
  std::vector<double> whole(count, 1), m(count), v(count), apart(count, 1), m2(count), v2(count);
  void *const moments[] = {m.data(), v.data()}, *const momentsApart[] = {m2.data(), v2.data()};
  updateParameter(factors, ElementType::F64, count, sites, whole.data(), moments);
  for (int64_t part : {2, 0, 1})
    updatePart(factors, ElementType::F64, part * updatedPart, count, sites, apart.data(), momentsApart);
  EXPECT_EQ(whole, apart);
  EXPECT_EQ(m, m2);
  EXPECT_EQ(v, v2);
}

TEST(Optimizer, NormAddsInPathOrder) {
  GradientNorm norm;
  norm.add("b", 1e-17);
  norm.add("a", 1);
  norm.add("c", 8);
  EXPECT_EQ(norm.norm(), std::sqrt((1 + 1e-17) + 8));
}

// One parameter, two steps: w by the rules written out.
template <class Rule>
void compareInF32(const OptimizerSettings &settings, double scale, Rule rule) {
  constexpr int64_t count = 1100;
  std::vector<float> value(count, 1), m(count), v(count), gradient(count), expected(count, 1), first(count);
  for (int step = 1; step <= 2; ++step) {
    for (int64_t i = 0; i < count; ++i) {
      gradient[i] = float(i % 13 - 6) / float(3 + step);
      float g = scale == 1 ? gradient[i] : gradient[i] * float(scale);
      rule(expected[i], first[i], g);
    }
    const void *sites[] = {gradient.data()};
    void *const moments[] = {m.data(), v.data()};
    StepFactors factors(settings, step);
    factors.gradientScale = scale;
    updateParameter(factors, ElementType::F32, count, sites, value.data(), moments);
    EXPECT_EQ(value, expected);
  }
}

TEST(Optimizer, SgdAndMomentumAsWritten) {
  OptimizerSettings settings;
  settings.lr = 0.1;
  settings.kind = OptimizerSettings::Kind::SGD;
  auto sgd = [](float &w, float &, float g) { w = w - 0.1f * g; };
  compareInF32(settings, 1, sgd);
  compareInF32(settings, 0.3, sgd);
  settings.kind = OptimizerSettings::Kind::Momentum;
  compareInF32(settings, 1, [](float &w, float &m, float g) {
    m = 0.9f * m + g;
    w = w - 0.1f * m;
  });
}

// The scale of the norm first, then each element; NaN stays NaN. The squares are those of the gradient as it came.
TEST(Optimizer, ClipsValuesOfTheScaledGradient) {
  OptimizerSettings settings;
  settings.lr = 1;
  settings.kind = OptimizerSettings::Kind::SGD;
  settings.clipValue = 0.5;
  double infinite = std::numeric_limits<double>::infinity();
  double gradient[] = {4, 0.5, -0.25, -8, infinite, -infinite, std::nan("")};
  double value[] = {1, 1, 1, 1, 1, 1, 1};
  const void *sites[] = {gradient};
  StepFactors factors(settings, 1);
  factors.gradientScale = 0.5;
  updateParameter(factors, ElementType::F64, 7, sites, value, {});
  for (auto [index, expected] : {std::pair(0, 0.5), {1, 0.75}, {2, 1.125}, {3, 1.5}, {4, 0.5}, {5, 1.5}})
    EXPECT_EQ(value[index], expected) << index;
  EXPECT_TRUE(std::isnan(value[6]));
  double finite[] = {1, 1, 1, 1};
  EXPECT_EQ(updateParameter(factors, ElementType::F64, 4, sites, finite, {}), 16 + 0.25 + 0.0625 + 64);
  float small[] = {3}, one[] = {1}; // a limit that f32 rounds to 0 lets nothing through
  const void *smallSites[] = {small};
  settings.clipValue = 1e-60;
  updateParameter(StepFactors(settings, 1), ElementType::F32, 1, smallSites, one, {});
  EXPECT_EQ(one[0], 1);
}

// average = ema * average + (1 - ema) * value, rounded after each operation, in the slice alone.
template <class T>
void compareAverages(ElementType type) {
  constexpr int64_t count = updatedPart + 100;
  std::vector<T> value(count), average(count, T(2)), expected(count, T(2));
  for (int64_t i = 0; i < count; ++i) {
    value[i] = T(i % 17) / 7;
    if (i >= updatedPart)
      expected[i] = T(0.999) * expected[i] + T(1 - 0.999) * value[i];
  }
  updateAverage(type, updatedPart, count, 0.999, value.data(), average.data());
  EXPECT_EQ(average, expected);
}

TEST(Average, FollowsTheValueAsWritten) {
  compareAverages<float>(ElementType::F32);
  compareAverages<double>(ElementType::F64);
}

TEST(Optimizer, ClipsWhatIsLonger) {
  OptimizerSettings settings;
  EXPECT_EQ(scaleOfNorm(settings, 5, 1), 1);
  settings.clipNorm = 2;
  EXPECT_EQ(scaleOfNorm(settings, 5, 1), 0.4);
  EXPECT_EQ(scaleOfNorm(settings, 2, 1), 1);
  EXPECT_EQ(scaleOfNorm(settings, std::nan(""), 1), 1);
  EXPECT_EQ(scaleOfNorm(settings, 5, 8), 0.05);
}

TEST(LossScale, FollowsOverflows) {
  OptimizerSettings settings;
  EXPECT_EQ(LossScale(settings).value, 1);
  EXPECT_FALSE(LossScale(settings).mayOverflow(settings));
  settings.scalesLoss = true;
  LossScale scale(settings);
  EXPECT_EQ(scale.value, 65536);
  scale.update(settings, false);
  EXPECT_EQ(scale.value, 32768);
  for (int i = 0; i < 1999; ++i)
    scale.update(settings, true);
  EXPECT_EQ(scale.value, 32768);
  scale.update(settings, true);
  EXPECT_EQ(scale.value, 65536);
  EXPECT_EQ(scale.finiteSteps, 0);
  for (int i = 0; i < 40; ++i)
    scale.update(settings, false);
  EXPECT_EQ(scale.value, 1);
  EXPECT_FALSE(scale.mayOverflow(settings));
  settings.lossScale = 24;
  LossScale given(settings);
  given.update(settings, false);
  EXPECT_EQ(given.value, 24);
  EXPECT_TRUE(given.mayOverflow(settings));
}

TEST(LearningRate, WarmsUpAndDecays) {
  OptimizerSettings settings;
  settings.lr = 8;
  EXPECT_EQ(settings.rate(1), 8);
  settings.warmup = 4;
  EXPECT_EQ(settings.rate(1), 2);
  EXPECT_EQ(settings.rate(4), 8);
  EXPECT_EQ(settings.rate(100), 8);
  settings.total = 8;
  settings.schedule = OptimizerSettings::Schedule::Linear;
  EXPECT_EQ(settings.rate(3), 6);
  EXPECT_EQ(settings.rate(5), 8);
  EXPECT_EQ(settings.rate(7), 4);
  EXPECT_EQ(settings.rate(8), 2);
  EXPECT_EQ(settings.rate(9), 0);
  EXPECT_EQ(settings.rate(50), 0);
  settings.schedule = OptimizerSettings::Schedule::Cosine;
  EXPECT_EQ(settings.rate(5), 8);
  EXPECT_EQ(settings.rate(7), 4);
  EXPECT_EQ(settings.rate(9), 0);
}

TEST(LearningRate, CosineIsThatOfTheLibrary) {
  for (double p : {0.0, 0.5, 1.0})
    EXPECT_EQ(cosineOfPi(p), 1 - 2 * p);
  for (int i = 0; i <= 1000; ++i)
    EXPECT_NEAR(cosineOfPi(i / 1000.0), std::cos(M_PI * (i / 1000.0)), 1e-15) << i;
}

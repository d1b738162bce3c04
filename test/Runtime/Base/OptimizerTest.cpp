#include "plc/Runtime/Base/Average.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Optimizer.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace plc::runtime;
using plc::ElementType;

// Rules as C++: what a module has as kernels. The ports are those of `inputs` and `results` below.
struct TestRules : UpdateRunner {
  using Elements = std::function<void(void *const *ports)>;
  explicit TestRules(OptimizerSettings &settings, bool inPlace, Elements elements) : elements(std::move(elements)) {
    settings.settings = {{"beta", 0.9}};
    settings.forms = {{"test", "w", "g", 0, true, {{"m"}}}};
    rules.scalars.inputs = {"rate", "beta", "power[beta, step]"};
    rules.scalars.results = {"size"};
    rules.tensors.resize(1);
    rules.tensors[0].inputs = {"w", "g", "m", "beta", "size"};
    rules.tensors[0].results = {"m", "w"};
    rules.tensors[0].inPlace = inPlace;
  }
  void run(const UpdateProgram &program, void *const *ports, int64_t, UpdateWorkspace &) const override {
    auto number = [&](size_t i) -> double & { return *static_cast<double *>(ports[i]); };
    if (&program == &rules.scalars)
      number(3) = number(0) / (1 - number(2));
    else
      elements(ports);
  }
  UpdateStep step(const OptimizerSettings &settings, int64_t number) const {
    return {settings, settings.forms[0], rules, rules.tensors[0], *this, number};
  }
  UpdateRules rules;
  Elements elements;
};

template <class T>
void applyTestRules(void *const *ports) {
  auto at = [&](size_t i) { return static_cast<T *>(ports[i]); };
  for (int64_t i = 0; i < plc::module::updateBlock; ++i) {
    T m = *at(3) * at(2)[i] + at(1)[i], w = at(0)[i] - *at(4) * m;
    at(5)[i] = m;
    at(6)[i] = w;
  }
}

// Rules are applied to whole blocks, with scalars computed in double and rounded once.
template <class T>
void compareWithPlain(ElementType type, bool inPlace) {
  constexpr int64_t count = 3000; // more than two blocks, and a ragged end
  OptimizerSettings settings;
  TestRules rules(settings, inPlace, applyTestRules<T>);
  std::vector<T> value(count), m(count), w(count), n(count), first(count), second(count);
  for (int64_t i = 0; i < count; ++i)
    value[i] = w[i] = T(i % 17) / 7;
  double power = 1;
  for (int step = 1; step <= 3; ++step) {
    power *= 0.9;
    for (int64_t i = 0; i < count; ++i) {
      first[i] = T(i % 13 - 6) / (3 + step);
      second[i] = T(i % 5) / 11;
      n[i] = T(0.9) * n[i] + (first[i] + second[i]);
      w[i] = w[i] - T(settings.lr / (1 - power)) * n[i];
    }
    const void *sites[] = {first.data(), second.data()};
    void *const moments[] = {m.data()};
    updateParameter(rules.step(settings, step), type, count, sites, value.data(), moments);
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(value[i], w[i]) << "element " << i << ", step " << step;
      ASSERT_EQ(m[i], n[i]);
    }
  }
}

TEST(Optimizer, UpdatesAsWrittenInF32) { compareWithPlain<float>(ElementType::F32, true); }
TEST(Optimizer, UpdatesAsWrittenInF64) { compareWithPlain<double>(ElementType::F64, true); }
TEST(Optimizer, UpdatesBesideAsInPlace) { compareWithPlain<float>(ElementType::F32, false); }

TEST(Optimizer, RefusesUnknownNumbers) {
  OptimizerSettings settings;
  TestRules rules(settings, true, applyTestRules<float>);
  rules.rules.scalars.inputs.push_back("speed");
  EXPECT_THROW(rules.step(settings, 1), Error);
}

TEST(Optimizer, SquaresAreSummedInSixteenLanes) {
  constexpr int64_t count = 1024 + 21;
  std::vector<float> gradient(count), value(count), m(count);
  double lanes[16] = {};
  for (int64_t i = 0; i < count; ++i) {
    gradient[i] = 1.0f / static_cast<float>(i + 3);
    lanes[i % 16] += double(gradient[i]) * double(gradient[i]);
  }
  for (int half = 8; half; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  const void *sites[] = {gradient.data()};
  void *const moments[] = {m.data()};
  OptimizerSettings settings;
  TestRules rules(settings, true, applyTestRules<float>);
  EXPECT_EQ(sumOfSquares(ElementType::F32, count, sites), lanes[0]);
  UpdateStep step = rules.step(settings, 1);
  EXPECT_EQ(updateParameter(step, ElementType::F32, count, sites, value.data(), moments), lanes[0]);
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
  OptimizerSettings settings;
  TestRules rules(settings, true, applyTestRules<double>);
  UpdateStep step = rules.step(settings, 1);
  std::vector<double> whole(count, 1), m(count), apart(count, 1), m2(count);
  void *const moments[] = {m.data()}, *const momentsApart[] = {m2.data()};
  updateParameter(step, ElementType::F64, count, sites, whole.data(), moments);
  for (int64_t part : {2, 0, 1})
    updatePart(step, ElementType::F64, part * updatedPart, count, sites, apart.data(), momentsApart);
  EXPECT_EQ(whole, apart);
  EXPECT_EQ(m, m2);
}

TEST(Optimizer, NormAddsInPathOrder) {
  GradientNorm norm;
  norm.add("b", 1e-17);
  norm.add("a", 1);
  norm.add("c", 8);
  EXPECT_EQ(norm.norm(), std::sqrt((1 + 1e-17) + 8));
}

TEST(Optimizer, ScalesGradientsBeforeTheRules) {
  constexpr int64_t count = 1100;
  OptimizerSettings settings;
  settings.lr = 0.1;
  TestRules rules(settings, true, applyTestRules<float>);
  std::vector<float> value(count, 1), m(count), gradient(count);
  for (int64_t i = 0; i < count; ++i)
    gradient[i] = float(i % 13 - 6) / 4;
  const void *sites[] = {gradient.data()};
  void *const moments[] = {m.data()};
  UpdateStep step = rules.step(settings, 1);
  step.gradientScale = 0.3;
  updateParameter(step, ElementType::F32, count, sites, value.data(), moments);
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(m[i], gradient[i] * 0.3f);
}

// The scale of the norm first, then each element; NaN stays NaN. The squares are those of the gradient as it came.
TEST(Optimizer, ClipsValuesOfTheScaledGradient) {
  OptimizerSettings settings;
  settings.clipValue = 0.5;
  TestRules rules(settings, true, applyTestRules<double>);
  double infinite = std::numeric_limits<double>::infinity();
  const double gradient[] = {4, 0.5, -0.25, -8, infinite, -infinite, std::nan("")};
  double value[7] = {}, m[7] = {};
  const void *sites[] = {gradient};
  void *const moments[] = {m};
  UpdateStep step = rules.step(settings, 1);
  step.gradientScale = 0.5;
  updateParameter(step, ElementType::F64, 7, sites, value, moments);
  for (auto [index, expected] : {std::pair(0, 0.5), {1, 0.25}, {2, -0.125}, {3, -0.5}, {4, 0.5}, {5, -0.5}})
    EXPECT_EQ(m[index], expected) << index;
  EXPECT_TRUE(std::isnan(m[6]));
  EXPECT_EQ(updateParameter(step, ElementType::F64, 4, sites, value, moments), 16 + 0.25 + 0.0625 + 64);
  // A limit that f32 rounds to 0 lets nothing through.
  const float small[] = {3};
  float one[] = {1}, none[] = {0};
  const void *smallSites[] = {small};
  void *const smallMoments[] = {none};
  settings.clipValue = 1e-60;
  TestRules ofFloats(settings, true, applyTestRules<float>);
  updateParameter(ofFloats.step(settings, 1), ElementType::F32, 1, smallSites, one, smallMoments);
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
  EXPECT_EQ(scaleOfNorm(settings.clipNorm, 5, 1), 1);
  settings.clipNorm = 2;
  EXPECT_EQ(scaleOfNorm(settings.clipNorm, 5, 1), 0.4);
  EXPECT_EQ(scaleOfNorm(settings.clipNorm, 2, 1), 1);
  EXPECT_EQ(scaleOfNorm(settings.clipNorm, std::nan(""), 1), 1);
  EXPECT_EQ(scaleOfNorm(settings.clipNorm, 5, 8), 0.05);
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

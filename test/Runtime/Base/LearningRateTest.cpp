// Rates of each schedule beside the closed formulas of PyTorch's schedulers and of published recipes, and exact values.
#include "plc/Module/LearningRate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace plc;
using plc::module::LearningRate;

namespace {

constexpr double pi = 3.14159265358979323846;

/// Compares the rates of steps 1 to `steps` with a formula of the epoch as PyTorch counts it, from 0.
template <class Formula>
void compare(const LearningRate &settings, int64_t steps, Formula formula) {
  for (int64_t step = 1; step <= steps; ++step) {
    double expected = formula(static_cast<double>(step - 1));
    EXPECT_NEAR(settings.rate(step), expected, 1e-12 * settings.lr) << "step " << step;
  }
}

LearningRate of(RateSchedule schedule) {
  LearningRate settings;
  settings.lr = 0.3;
  settings.schedule = schedule;
  return settings;
}

} // namespace

// LinearLR(start_factor=1, end_factor=0.1, total_iters=50).
TEST(LearningRate, LinearWithAFloor) {
  LearningRate settings = of(RateSchedule::Linear);
  settings.total = 50;
  settings.floor = 0.1;
  compare(settings, 80, [](double epoch) { return 0.3 * (1 + (0.1 - 1) * std::min(epoch, 50.0) / 50); });
}

// CosineAnnealingLR(T_max=50, eta_min=0.03), then at its end.
TEST(LearningRate, CosineWithAFloor) {
  LearningRate settings = of(RateSchedule::Cosine);
  settings.total = 50;
  settings.floor = 0.1;
  compare(settings, 80,
          [](double epoch) { return 0.03 + (0.3 - 0.03) * (1 + std::cos(pi * std::min(epoch, 50.0) / 50)) / 2; });
}

// nanoGPT: min_lr = lr / 10, lr_decay_iters = 60, warmup_iters = 10, from the first iteration behind the warm-up.
TEST(LearningRate, CosineOfNanoGpt) {
  LearningRate settings = of(RateSchedule::Cosine);
  settings.warmup = 10;
  settings.total = 60;
  settings.floor = 0.1;
  compare(settings, 90, [](double it) {
    if (it < 10)
      return 0.3 * (it + 1) / 10;
    double ratio = std::min(1.0, (it - 10) / (60 - 10));
    return 0.03 + 0.5 * (1.0 + std::cos(pi * ratio)) * (0.3 - 0.03);
  });
}

// CosineAnnealingWarmRestarts(T_0, T_mult, eta_min).
TEST(LearningRate, CosineRestarts) {
  for (int64_t factor : {1, 2, 3}) {
    LearningRate settings = of(RateSchedule::CosineRestarts);
    settings.period = 7;
    settings.periodFactor = factor;
    settings.floor = 0.2;
    compare(settings, 300, [&](double epoch) {
      double begin = 0, length = 7;
      for (; begin + length <= epoch; length *= static_cast<double>(factor))
        begin += length;
      return 0.06 + (0.3 - 0.06) * (1 + std::cos(pi * (epoch - begin) / length)) / 2;
    });
  }
  LearningRate settings = of(RateSchedule::CosineRestarts);
  settings.warmup = 5;
  settings.period = 4;
  EXPECT_EQ(settings.rate(5), 0.3);
  for (int64_t step : {6, 10, 14, 6 + 4 * 1000000})
    EXPECT_EQ(settings.rate(step), 0.3) << step;
  EXPECT_EQ(settings.rate(8), 0.15);
  settings.periodFactor = int64_t(1) << 62;
  EXPECT_EQ(settings.rate(10), 0.3);
  EXPECT_GT(settings.rate(int64_t(1) << 31), 0.299);
}

// Vaswani et al. (2017): d^-0.5 * min(s^-0.5, s * w^-1.5), scaled to reach lr at step w.
TEST(LearningRate, InverseSqrt) {
  LearningRate settings = of(RateSchedule::InverseSqrt);
  settings.warmup = 40;
  compare(settings, 500, [](double epoch) {
    double s = epoch + 1, w = 40;
    return 0.3 * std::sqrt(w) * std::min(std::pow(s, -0.5), s * std::pow(w, -1.5));
  });
  settings.floor = 0.5;
  EXPECT_EQ(settings.rate(160), 0.15);
  EXPECT_EQ(settings.rate(100000), 0.15);
  settings.warmup = 0;
  settings.floor = 0;
  EXPECT_EQ(settings.rate(1), 0.3);
  EXPECT_EQ(settings.rate(4), 0.15);
}

// OneCycleLR(max_lr=0.3, total_steps), cosine annealing, with its defaults and with other numbers.
TEST(LearningRate, OneCycle) {
  struct Case {
    int64_t total;
    double pctStart, divFactor, finalDivFactor;
  };
  for (const Case &each : {Case{100, 0.3, 25, 1e4}, Case{37, 0.45, 10, 100}, Case{3, 0.1, 25, 1e4}}) {
    LearningRate settings = of(RateSchedule::OneCycle);
    settings.total = each.total;
    settings.pctStart = each.pctStart;
    settings.divFactor = each.divFactor;
    settings.finalDivFactor = each.finalDivFactor;
    compare(settings, each.total, [&](double step) {
      auto anneal = [](double from, double to, double pct) { return to + (from - to) / 2 * (1 + std::cos(pi * pct)); };
      double initial = 0.3 / each.divFactor, last = initial / each.finalDivFactor;
      double total = static_cast<double>(each.total), peak = each.pctStart * total - 1;
      return step <= peak ? anneal(initial, 0.3, step / peak) : anneal(0.3, last, (step - peak) / (total - 1 - peak));
    });
    EXPECT_EQ(settings.rate(each.total + 1), settings.rate(each.total));
  }
  LearningRate settings = of(RateSchedule::OneCycle);
  settings.total = 10;
  settings.pctStart = 1;
  EXPECT_EQ(settings.rate(10), 0.3);
  settings.pctStart = 0;
  EXPECT_LT(settings.rate(1), 0.3);
  settings.pctStart = 0.1; // the peak is the first step
  EXPECT_EQ(settings.rate(1), 0.3);
}

// PolynomialLR(total_iters=50, power), and with the floor of Hugging Face's get_polynomial_decay_schedule_with_warmup.
TEST(LearningRate, Polynomial) {
  for (double power : {1.0, 2.0, 0.9, 0.5, 3.25}) {
    LearningRate settings = of(RateSchedule::Polynomial);
    settings.total = 50;
    settings.power = power;
    compare(settings, 80, [&](double epoch) { return 0.3 * std::pow(1 - std::min(epoch, 50.0) / 50, power); });
    settings.floor = 0.1;
    settings.warmup = 8;
    compare(settings, 80, [&](double epoch) {
      if (epoch < 8)
        return 0.3 * (epoch + 1) / 8;
      return 0.03 + (0.3 - 0.03) * std::pow(1 - std::min(epoch - 8, 42.0) / 42, power);
    });
  }
}

// Warm-up, stable, decay: linear from step total - decay on.
TEST(LearningRate, Trapezoid) {
  LearningRate settings = of(RateSchedule::Trapezoid);
  settings.warmup = 5;
  settings.total = 50;
  settings.decay = 20;
  settings.floor = 0.1;
  compare(settings, 70, [](double epoch) {
    if (epoch < 5)
      return 0.3 * (epoch + 1) / 5;
    double p = std::clamp((epoch - 30) / 20, 0.0, 1.0);
    return 0.3 * (1 - p) + 0.03 * p;
  });
  settings.floor = 0;
  settings.decay = 45; // all behind the warm-up: the linear schedule
  LearningRate linear = settings;
  linear.schedule = RateSchedule::Linear;
  for (int64_t step = 1; step <= 60; ++step)
    EXPECT_EQ(settings.rate(step), linear.rate(step)) << step;
}

TEST(LearningRate, PowersAreThoseOfTheLibrary) {
  for (double power : {0.25, 0.9, 1.0 / 3, 1.0, 2.7182818, 17.5, 64.0})
    for (int i = 1; i <= 1000; ++i) {
      double expected = std::pow(i / 1000.0, power);
      EXPECT_NEAR(module::powerOf(i / 1000.0, power), expected, 2e-14 * expected) << i << " to " << power;
    }
  EXPECT_EQ(module::powerOf(0, 0.5), 0);
  EXPECT_EQ(module::powerOf(1, 1e18), 1);
  EXPECT_EQ(module::powerOf(0.25, 1.5), 0.125);
}

//===- LearningRate.cpp - the learning rate of a step ---------------------===//
#include "plc/Module/LearningRate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plc::module {

namespace {

/// Taylor series of sin and cos for x in [0, pi / 4], by Horner's scheme. The first term left out is below 1e-20.
/// Coefficients are quotients of exact integers.
double sineSeries(double x) {
  double square = x * x, sum = 0;
  constexpr int terms = 10;
  for (int k = terms; k > 0; --k)
    sum = (1 + sum) * (-square / ((2.0 * k) * (2.0 * k + 1)));
  return x * (1 + sum);
}
double cosineSeries(double x) {
  double square = x * x, sum = 0;
  constexpr int terms = 10;
  for (int k = terms; k > 0; --k)
    sum = (1 + sum) * (-square / ((2.0 * k - 1) * (2.0 * k)));
  return 1 + sum;
}

} // namespace

double cosineOfPi(double p) {
  // Reduced to [0, 1/4], where the series converge fast, by the symmetries of cos.
  if (p > 0.5)
    return -cosineOfPi(1 - p);
  constexpr double pi = 3.14159265358979323846;
  return p <= 0.25 ? cosineSeries(pi * p) : sineSeries(pi * (0.5 - p));
}

double powerOf(double x, double power) {
  double result = 1, factor = x;
  auto whole = static_cast<int64_t>(power);
  for (int64_t rest = whole; rest; rest /= 2) {
    if (rest % 2)
      result *= factor;
    factor *= factor;
  }
  double fraction = power - static_cast<double>(whole), root = x;
  while (fraction > 0) {
    root = std::sqrt(root);
    fraction *= 2;
    if (fraction >= 1) {
      result *= root;
      fraction -= 1;
    }
  }
  return result;
}

namespace {

double quotient(int64_t dividend, int64_t divisor) {
  return static_cast<double>(dividend) / static_cast<double>(divisor);
}

double halfCosine(double p) { return (1 + cosineOfPi(p)) / 2; }

/// The fraction of its period in which a step lies, counted from the first restart.
double fractionOfPeriod(int64_t step, int64_t period, int64_t factor) {
  if (factor == 1)
    return quotient(step % period, period);
  while (step >= period) {
    step -= period;
    if (__builtin_mul_overflow(period, factor, &period))
      period = std::numeric_limits<int64_t>::max(); // longer than any run
  }
  return quotient(step, period);
}

double oneCycle(const LearningRate &settings, int64_t step) {
  const double now = static_cast<double>(step - 1), end = static_cast<double>(settings.total);
  const double peak = settings.pctStart * end - 1;
  const double first = settings.lr / settings.divFactor, last = first / settings.finalDivFactor;
  if (now < peak)
    return first + (settings.lr - first) * (1 - halfCosine(now / peak));
  double p = now > peak ? std::min(1.0, (now - peak) / (end - 1 - peak)) : 0;
  return last + (settings.lr - last) * halfCosine(p);
}

} // namespace

double LearningRate::rate(int64_t step) const {
  if (schedule == Schedule::OneCycle)
    return oneCycle(*this, step);
  if (step <= warmup)
    return lr * quotient(step, warmup);
  auto progress = [&] { return std::min(1.0, quotient(step - 1 - warmup, total - warmup)); };
  auto between = [&](double shape) { return lr * (floor + (1 - floor) * shape); };
  switch (schedule) {
  case Schedule::Constant: break;
  case Schedule::Linear: return between(1 - progress());
  case Schedule::Cosine: return between(halfCosine(progress()));
  case Schedule::CosineRestarts: return between(halfCosine(fractionOfPeriod(step - 1 - warmup, period, periodFactor)));
  case Schedule::InverseSqrt: return lr * std::max(floor, std::sqrt(quotient(std::max<int64_t>(1, warmup), step)));
  case Schedule::OneCycle: break; // above
  case Schedule::Polynomial: return between(powerOf(1 - progress(), power));
  case Schedule::Trapezoid: return between(1 - std::clamp(quotient(step - 1 - (total - decay), decay), 0.0, 1.0));
  }
  return lr;
}

} // namespace plc::module

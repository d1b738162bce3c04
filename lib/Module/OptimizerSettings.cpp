//===- OptimizerSettings.cpp - the learning rate of a step ----------------===//
#include "plc/Module/OptimizerSettings.h"

#include <algorithm>

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

double OptimizerSettings::rate(int64_t step) const {
  if (step <= warmup)
    return lr * (static_cast<double>(step) / static_cast<double>(warmup));
  auto progress = [&] {
    return std::min(1.0, static_cast<double>(step - 1 - warmup) / static_cast<double>(total - warmup));
  };
  switch (schedule) {
  case Schedule::Constant: break;
  case Schedule::Linear: return lr * (1 - progress());
  case Schedule::Cosine: return lr * ((1 + cosineOfPi(progress())) / 2);
  }
  return lr;
}

} // namespace plc::module

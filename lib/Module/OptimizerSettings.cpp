//===- OptimizerSettings.cpp - an optimizer and its learning rate ------------===//
// The settings of an optimizer: names, and the learning rate as a function of the step.
#include "plc/Module/OptimizerSettings.h"

#include <algorithm>

namespace plc::module {

namespace {

using Kind = OptimizerSettings::Kind;
using Schedule = OptimizerSettings::Schedule;

constexpr std::pair<const char *, Kind> kinds[] = {
    {"sgd", Kind::SGD}, {"momentum", Kind::Momentum}, {"adam", Kind::Adam}, {"adamw", Kind::AdamW}};
constexpr std::pair<const char *, Schedule> schedules[] = {
    {"constant", Schedule::Constant}, {"linear", Schedule::Linear}, {"cosine", Schedule::Cosine}};

/// x - x^3 / 3! + .. and 1 - x^2 / 2! + .. for x in [0, pi / 4], where ten terms leave less than 1e-20. The coefficients
/// are quotients of exact integers.
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

std::optional<Kind> OptimizerSettings::parseKind(const std::string &name) {
  for (auto [each, kind] : kinds)
    if (name == each)
      return kind;
  return std::nullopt;
}

const char *OptimizerSettings::nameOf(Kind kind) { return kinds[static_cast<size_t>(kind)].first; }

std::optional<Schedule> OptimizerSettings::parseSchedule(const std::string &name) {
  for (auto [each, schedule] : schedules)
    if (name == each)
      return schedule;
  return std::nullopt;
}

const char *OptimizerSettings::nameOf(Schedule schedule) { return schedules[static_cast<size_t>(schedule)].first; }

double cosineOfPi(double p) {
  if (p > 0.5)
    return -cosineOfPi(1 - p);
  constexpr double pi = 3.14159265358979323846;
  return p <= 0.25 ? cosineSeries(pi * p) : sineSeries(pi * (0.5 - p));
}

double OptimizerSettings::rate(int64_t step) const {
  if (step <= warmup)
    return lr * (static_cast<double>(step) / static_cast<double>(warmup));
  if (schedule == Schedule::Constant)
    return lr;
  double p = std::min(1.0, static_cast<double>(step - 1 - warmup) / static_cast<double>(total - warmup));
  return schedule == Schedule::Linear ? lr * (1 - p) : lr * ((1 + cosineOfPi(p)) / 2);
}

} // namespace plc::module

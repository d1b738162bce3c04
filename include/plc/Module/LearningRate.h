//===- LearningRate.h - the learning rate of a step -------------*- C++ -*-===//
#ifndef PLC_MODULE_LEARNINGRATE_H
#define PLC_MODULE_LEARNINGRATE_H

#include "plc/Support/RateSchedules.h"

namespace plc::module {

/// A learning rate and how it changes. A schedule reads the numbers that its row of `RateSchedule` names.
struct LearningRate {
  using Schedule = RateSchedule;

  double lr = 3e-4;
  Schedule schedule = Schedule::Constant;
  int64_t warmup = 0;          // steps
  int64_t total = 0;           // steps, more than warmup
  double floor = 0;            // the least rate after the warm-up, as a fraction of lr
  int64_t period = 0;          // steps from one restart to the next
  int64_t periodFactor = 1;    // each period is so many times as long as the one before
  double power = 1;            // of the polynomial
  int64_t decay = 0;           // steps at the end of the trapezoid, at most total - warmup
  double pctStart = 0.3;       // fraction of the cycle in which the rate rises
  double divFactor = 25;       // the cycle begins at lr / divFactor
  double finalDivFactor = 1e4; // and ends at lr / divFactor / finalDivFactor

  /// The rate of a step (1 is the first), in double. With s = step - 1 and each fraction at most 1:
  ///
  ///   step <= warmup    lr * step / warmup; all but OneCycle
  ///   Constant          lr
  ///   Linear            between(1 - p), p = (s - warmup) / (total - warmup)
  ///   Cosine            between((1 + cos(pi p)) / 2), the same p
  ///   CosineRestarts    the same, p = the fraction of the present period. Loshchilov and Hutter, "SGDR" (2017)
  ///   InverseSqrt       lr * max(floor, sqrt(warmup / step)), warmup at least 1. Vaswani et al. (2017), section 5.3
  ///   Polynomial        between((1 - p)^power), the p of Linear
  ///   Trapezoid         between(1 - p), p = (s - (total - decay)) / decay, at least 0
  ///   OneCycle          a half cosine from lr / divFactor up to lr, until s = pctStart * total - 1, then one down to
  ///                     the last rate, at s = total - 1. Smith and Topin, "Super-convergence" (2018), as PyTorch's
  ///                     OneCycleLR has it
  ///
  /// where between(x) = lr * (floor + (1 - floor) * x). Additions, multiplications, divisions and square roots alone,
  /// so that bits are the same on every machine.
  double rate(int64_t step) const;
};

/// cos(pi p) for p in [0, 1], by additions and multiplications alone. Error below 1e-15. Exact at 0, 1/2 and 1.
double cosineOfPi(double p);

/// x^power for x in [0, 1] and power >= 0, by multiplications and square roots alone: the whole part by squaring, the
/// rest as a product of roots x^(1/2), x^(1/4), .. by its bits. Relative error below 2e-14 up to power 64.
double powerOf(double x, double power);

} // namespace plc::module

#endif

//===- OptimizerSettings.h - an optimizer and its learning rate -*- C++ -*-===//
#ifndef PLC_MODULE_OPTIMIZERSETTINGS_H
#define PLC_MODULE_OPTIMIZERSETTINGS_H

#include "plc/Support/NonFiniteSteps.h"
#include "plc/Support/Optimizers.h"

namespace plc::module {

/// The optimizer of a strategy, with the learning rate of each step.
struct OptimizerSettings {
  using Kind = OptimizerKind;
  using Schedule = RateSchedule;

  Kind kind = Kind::AdamW;
  double lr = 3e-4;
  double weightDecay = 0.01;                     // AdamW
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8; // Adam, AdamW
  double momentum = 0.9;                         // Momentum
  Schedule schedule = Schedule::Constant;
  int64_t warmup = 0, total = 0; // in steps; total belongs to Linear and Cosine and is more than warmup
  double clipNorm = 0;           // 0: gradients are not clipped
  NonFiniteStep nonFinite = NonFiniteStep::Stop;
  bool scalesLoss = false; // gradients are those of a scaled loss; an update divides by the scale
  double lossScale = 0;    // the scale; 0: it follows overflows (LossScale)

  /// Whether an update needs the norm of the whole gradient, so that all ranks meet before it.
  bool needsNorm() const { return clipNorm > 0 || leavesOut(); }
  /// Whether a step that is not finite is left out: parameters and moments stay as they are.
  bool leavesOut() const { return nonFinite != NonFiniteStep::Ignore || scalesLoss; }

  /// Tensors that the optimizer keeps for each trained parameter.
  int numMoments() const { return rowOf(kind).moments; }

  /// The learning rate of a step (1 is the first), in double. Up to `warmup`: lr * step / warmup. Then, with
  /// p = (step - 1 - warmup) / (total - warmup), at most 1: lr, lr * (1 - p) or lr * ((1 + cos(pi p)) / 2).
  double rate(int64_t step) const;
};

/// cos(pi p) for p in [0, 1], by additions and multiplications alone, so that bits are the same on every machine. Error
/// below 1e-15. Exact at 0, 1/2 and 1.
double cosineOfPi(double p);

} // namespace plc::module

#endif

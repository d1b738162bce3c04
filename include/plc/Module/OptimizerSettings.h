//===- OptimizerSettings.h - an optimizer and its learning rate -*- C++ -*-===//
#ifndef PLC_MODULE_OPTIMIZERSETTINGS_H
#define PLC_MODULE_OPTIMIZERSETTINGS_H

#include "plc/Module/LearningRate.h"
#include "plc/Support/NonFiniteSteps.h"
#include "plc/Support/Optimizers.h"

namespace plc::module {

/// The optimizer of a strategy, with the learning rate of each step.
struct OptimizerSettings : LearningRate {
  using Kind = OptimizerKind;

  Kind kind = Kind::AdamW;
  double weightDecay = 0.01;                     // AdamW
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8; // Adam, AdamW
  double momentum = 0.9;                         // Momentum
  double clipNorm = 0;                           // 0: the norm of the gradient is not clipped
  double clipValue = 0;                          // 0: its elements are not
  double ema = 0;                                // factor of the old average of each parameter; 0: there is none
  NonFiniteStep nonFinite = NonFiniteStep::Stop;
  bool scalesLoss = false; // gradients are those of a scaled loss; an update divides by the scale
  double lossScale = 0;    // the scale; 0: it follows overflows (LossScale)

  /// Whether an update needs the norm of the whole gradient, so that all ranks meet before it.
  bool needsNorm() const { return clipNorm > 0 || leavesOut(); }
  /// Whether a step that is not finite is left out: parameters and moments stay as they are.
  bool leavesOut() const { return nonFinite != NonFiniteStep::Ignore || scalesLoss; }

  /// Tensors that the optimizer keeps for each trained parameter.
  int numMoments() const { return rowOf(kind).moments; }

  /// Whether the moving average of each trained parameter is kept (plc/Runtime/Base/Average.h).
  bool keepsAverages() const { return ema > 0; }
  /// Tensors beside each trained parameter: moments and the average.
  int numBeside() const { return numMoments() + keepsAverages(); }
};

} // namespace plc::module

#endif

//===- OptimizerSettings.h - an optimizer and its learning rate -*- C++ -*-===//
#ifndef PLC_MODULE_OPTIMIZERSETTINGS_H
#define PLC_MODULE_OPTIMIZERSETTINGS_H

#include "plc/Module/LearningRate.h"
#include "plc/Support/NonFiniteSteps.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plc::module {

/// A tensor that an optimizer keeps beside each trained parameter, with its type and shape: a moment.
struct OptimizerState {
  std::string name;
  double init = 0; // the value of each element before the first step
};

/// The values that a number may have. Both limits are finite.
struct Limits {
  double least = -1e18, most = 1e18;
  bool isLeastExclusive = false, isMostExclusive = false;

  bool allow(double value) const {
    return (isLeastExclusive ? value > least : value >= least) && (isMostExclusive ? value < most : value <= most);
  }
};

/// A number that a strategy or a run may set, by default as the header of its optimizer has it.
struct OptimizerSetting {
  std::string name;
  double value;
  Limits limits{};

  std::string key() const { return "optimizer." + name; }
};

/// Names of keys of `[optimizer]` that a group may have, too.
inline constexpr const char *lrName = "lr", *clipNormName = "clip_norm", *clipValueName = "clip_value",
                            *weightDecayName = "weight_decay";
/// Keys of a group alone.
inline constexpr const char *matchName = "match", *frozenName = "frozen";

/// Parameters that a strategy treats alike: those whose paths match, and that no group before has.
struct ParameterGroup {
  std::string match;                                  // patterns with `*` and `?`, joined by commas
  std::vector<std::pair<std::string, double>> values; // by key of `[optimizer]`: lr, clip_norm, clip_value, a setting
  bool frozen = false;

  /// Null if the group has no value of its own.
  const double *find(const std::string &name) const {
    for (const auto &[key, value] : values)
      if (key == name)
        return &value;
    return nullptr;
  }
};

/// What the header and the states of an optimizer declare.
struct OptimizerHeader {
  std::string name, parameter, gradient;
  std::vector<OptimizerSetting> settings;
  std::vector<OptimizerState> states;
};

/// Elements that one call of an optimizer's rules updates. Not tuned: small enough for the first cache and the stack,
/// large enough to amortize a call.
inline constexpr int64_t updateBlock = 1024;

/// Numbers that every optimizer has: the learning rate of the step, and its number from 1.
inline constexpr const char *rateName = "rate", *stepName = "step";
/// The name of the number `power(SETTING, step)`, the product of as many settings as there were steps. Names of IR have
/// no parentheses.
inline std::string powerName(const std::string &setting) { return "power[" + setting + ", step]"; }

/// The optimizer of a strategy, with the learning rate of each step.
struct OptimizerSettings : LearningRate {
  std::string kind = "adamw";             // as `optimizer.kind` names it
  std::vector<OptimizerSetting> settings; // that its rules declare
  std::vector<OptimizerState> states;
  double clipNorm = 0;  // 0: the norm of the gradient is not clipped
  double clipValue = 0; // 0: its elements are not
  double ema = 0;       // factor of the old average of each parameter; 0: there is none
  std::vector<ParameterGroup> groups;
  bool decayMatricesOnly = false; // no weight decay of parameters with less than two axes
  double layerDecay = 1;          // the rate of a layer is so much of that of the layer behind it
  NonFiniteStep nonFinite = NonFiniteStep::Stop;
  bool scalesLoss = false; // gradients are those of a scaled loss; an update divides by the scale
  double lossScale = 0;    // the scale; 0: it follows overflows (LossScale)

  /// Whether an update needs the norm of the whole gradient, so that all ranks meet before it.
  bool needsNorm() const {
    return clipNorm > 0 || leavesOut() ||
           std::ranges::any_of(groups, [](const ParameterGroup &group) { return group.find(clipNormName); });
  }
  /// Whether a step that is not finite is left out: parameters and moments stay as they are.
  bool leavesOut() const { return nonFinite != NonFiniteStep::Ignore || scalesLoss; }

  /// Tensors that the optimizer keeps for each trained parameter.
  int numMoments() const { return static_cast<int>(states.size()); }

  /// Whether the moving average of each trained parameter is kept (plc/Runtime/Base/Average.h).
  bool keepsAverages() const { return ema > 0; }
  /// Tensors beside each trained parameter: moments and the average.
  int numBeside() const { return numMoments() + keepsAverages(); }
};

} // namespace plc::module

#endif

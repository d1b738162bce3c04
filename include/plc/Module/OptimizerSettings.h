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

/// A tensor that an optimizer keeps beside each trained parameter, with its type: a moment.
struct OptimizerState {
  std::string name;
  double init = 0;                 // the value of each element before the first step
  std::vector<int64_t> lacks = {}; // axes of the parameter that it does not have, ascending: 1 is the last one

  /// Its shape beside a parameter of this one.
  std::vector<int64_t> shapeOf(const std::vector<int64_t> &parameter) const {
    std::vector<int64_t> shape;
    for (size_t axis = 0; axis < parameter.size(); ++axis)
      if (!std::ranges::count(lacks, static_cast<int64_t>(parameter.size() - axis)))
        shape.push_back(parameter[axis]);
    return shape;
  }
};

/// The rules of an optimizer for parameters of some numbers of axes.
struct OptimizerForm {
  std::string kind; // as the key of a strategy names the optimizer
  std::string parameter, gradient;
  int64_t numAxes = 0; // that the rules name: the last ones. Rules that name none work element by element
  bool isOpen = true;  // others may stand before them
  std::vector<OptimizerState> states;

  bool isElementwise() const { return numAxes == 0; }
  bool takes(int64_t axes) const { return isOpen ? axes >= numAxes : axes == numAxes; }
};

/// The values that a number may have. Both limits are finite.
struct Limits {
  double least = -1e18, most = 1e18;
  bool isLeastExclusive = false, isMostExclusive = false;

  bool operator==(const Limits &) const = default;
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
  bool operator==(const OptimizerSetting &) const = default;
};

/// Names of keys of `[optimizer]` that a group may have, too.
inline constexpr const char *lrName = "lr", *clipNormName = "clip_norm", *clipValueName = "clip_value",
                            *weightDecayName = "weight_decay";
/// Keys of a group alone.
inline constexpr const char *matchName = "match", *frozenName = "frozen";
/// The key that names an optimizer; of `[optimizer]`, or of a group.
inline constexpr const char *kindName = "kind";

/// Parameters that a strategy treats alike: those whose paths match, and that no group before has.
struct ParameterGroup {
  std::string match;                                  // patterns with `*` and `?`, joined by commas
  std::vector<std::pair<std::string, double>> values; // by key of `[optimizer]`: lr, clip_norm, clip_value, a setting
  bool frozen = false;
  std::string kind = {};                       // of its own optimizer; empty: that of all
  std::vector<OptimizerSetting> settings = {}; // that this optimizer's rules declare

  /// Null if the group has no value of its own.
  const double *find(const std::string &name) const {
    for (const auto &[key, value] : values)
      if (key == name)
        return &value;
    return nullptr;
  }
};

/// What the headers and the states of an optimizer declare, in all of its forms.
struct OptimizerHeader {
  std::string name;
  std::vector<OptimizerSetting> settings;
  std::vector<OptimizerForm> forms; // the first one that takes a parameter's axes updates it
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
  std::vector<OptimizerForm> forms;       // of this optimizer, then of those of groups
  double clipNorm = 0;                    // 0: the norm of the gradient is not clipped
  double clipValue = 0;                   // 0: its elements are not
  double ema = 0;                         // factor of the old average of each parameter; 0: there is none
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

  /// Whether the moving average of each trained parameter is kept (plc/Runtime/Base/Average.h).
  bool keepsAverages() const { return ema > 0; }
};

} // namespace plc::module

#endif

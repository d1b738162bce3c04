// The parameters of a step with their settings, norms and factors.
#ifndef PLC_RUNTIME_BASE_STEPPARAMETERS_H
#define PLC_RUNTIME_BASE_STEPPARAMETERS_H

#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/Optimizer.h"

namespace plc::runtime {

using module::ParameterInfo;

/// The parameters of a model as a step sees them, some of them shards, with their groups.
class StepParameters {
public:
  StepParameters(const OptimizerSettings &settings, const std::vector<ParameterInfo> &wholes,
                 const std::vector<ParameterInfo> &held);

  const module::ParameterGroups &groups() const { return grouping; }
  /// The number of the variant of what is held.
  size_t variantOf(const std::string &held) const { return variants.at(held); }
  /// The norm of each group's gradient, then of that of parameters without a group; empty if there are no groups.
  std::vector<double> norms(const GradientNorm &gradient, double lossScale) const;
  /// By variant, the factor of gradients: of each group with a `clip_norm` of its own by the group's norm, of all
  /// others by the norm of these together.
  std::vector<double> scales(const GradientNorm &gradient, double lossScale) const;

private:
  int64_t groupOf(const std::string &held) const { return grouping.variants()[variantOf(held)].group; }
  /// The `clip_norm` of a group; null if it has none of its own.
  const double *clipOf(int64_t group) const;

  module::ParameterGroups grouping;
  std::map<std::string, size_t> variants; // by the path of what is held
};

} // namespace plc::runtime

#endif

// Norms and factors of the groups of parameters.
#include "plc/Runtime/Base/StepParameters.h"

#include <algorithm>

namespace plc::runtime {

StepParameters::StepParameters(const OptimizerSettings &settings, const std::vector<ParameterInfo> &wholes,
                               const std::vector<ParameterInfo> &held)
    : grouping(settings, module::groupedParameters(wholes)) {
  for (const ParameterInfo &each : held)
    variants[each.path] = grouping.variantOf(each.shard ? each.shard->whole : each.path);
}

const double *StepParameters::clipOf(int64_t group) const {
  return group < 0 ? nullptr : grouping.settings().groups[static_cast<size_t>(group)].find(module::clipNormName);
}

std::vector<double> StepParameters::norms(const GradientNorm &gradient, double lossScale) const {
  std::vector<double> norms;
  const auto count = static_cast<int64_t>(grouping.settings().groups.size());
  for (int64_t index = 0; index <= count && count; ++index) {
    int64_t group = index < count ? index : -1;
    norms.push_back(gradient.normOf([&](const std::string &held) { return groupOf(held) == group; }) / lossScale);
  }
  return norms;
}

std::vector<double> StepParameters::scales(const GradientNorm &gradient, double lossScale) const {
  auto scaleOf = [&](double clipNorm, double norm) { return scaleOfNorm(clipNorm, norm / lossScale, lossScale); };
  const double common = grouping.settings().clipNorm;
  const auto &all = grouping.variants();
  // Most models have no group that clips apart, and small ones have steps of some 100 us.
  if (std::ranges::none_of(all, [&](const auto &variant) { return clipOf(variant.group); }))
    return std::vector<double>(all.size(), scaleOf(common, gradient.norm()));
  const std::vector<double> own = norms(gradient, 1);
  double rest = gradient.normOf([&](const std::string &held) { return !clipOf(groupOf(held)); });
  std::vector<double> scales;
  for (const auto &variant : all)
    scales.push_back(clipOf(variant.group) ? scaleOf(*clipOf(variant.group), own[static_cast<size_t>(variant.group)])
                                           : scaleOf(common, rest));
  return scales;
}

} // namespace plc::runtime

// Lists and gathers the results of an entry.
#include "Results.h"

#include <algorithm>

namespace plc::runtime {

Results::Results(const Manifest &manifest, const EntryPlan &plan, bool withNext) : tensors(plan.outputs) {
  auto isMade = [&](const ParameterInfo &parameter) {
    return std::any_of(plan.ranks.begin(), plan.ranks.end(), [&](const RankInfo &rank) {
      return std::any_of(rank.buffers.begin(), rank.buffers.end(), [&](const BufferInfo &buffer) {
        return buffer.kind == BufferKind::Gradient && buffer.parameter() == parameter.path;
      });
    });
  };
  for (const ParameterInfo &parameter : manifest.parameters) {
    // In training all trained parameters, so that the list does not depend on the plan; else those with a buffer.
    bool isListed = plan.trains() ? !parameter.frozen || (withNext && parameter.replaced) : isMade(parameter);
    if (!isListed)
      continue;
    differentiated.push_back(&parameter);
    tensors.push_back(parameter.gradient());
  }
}

std::vector<Bytes> Results::gather(const Session &session) const {
  std::vector<Bytes> results;
  size_t outputs = session.plan().outputs.size();
  for (size_t i = 0; i < outputs; ++i)
    results.push_back(session.tensors().gatherOutput(i));
  for (const ParameterInfo *parameter : differentiated)
    session.tensors().gatherGradient(*parameter, results.emplace_back(parameter->tensor().numBytes()));
  return results;
}

} // namespace plc::runtime

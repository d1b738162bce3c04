#include "GradientNormReduction.h"

#include <algorithm>

namespace plc::runtime {

GradientNormReduction::GradientNormReduction(const std::vector<bool> &steps) : steps(steps), brought(steps.size()) {
  reset();
}

void GradientNormReduction::reset() {
  for (std::atomic<bool> &each : brought)
    each = false;
  missing = static_cast<size_t>(std::count(steps.begin(), steps.end(), true));
}

bool GradientNormReduction::bring(size_t rank, const std::map<std::string, double> &sumsOfSquares) {
  std::lock_guard lock(mutex);
  for (auto &[path, sum] : sumsOfSquares)
    gradient.add(path, sum);
  brought[rank] = true;
  return missing.fetch_sub(1) == 1;
}

} // namespace plc::runtime

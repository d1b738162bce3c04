#include "StepExchange.h"

#include <algorithm>

namespace plc::runtime {

StepExchange::StepExchange(const std::vector<bool> &steps) : steps(steps), brought(steps.size()) { reset(); }

void StepExchange::reset() {
  for (std::atomic<bool> &each : brought)
    each = false;
  missing = static_cast<size_t>(std::count(steps.begin(), steps.end(), true));
}

bool StepExchange::bring(size_t rank, const std::map<std::string, double> &sumsOfSquares) {
  std::lock_guard lock(mutex);
  for (auto &[path, sum] : sumsOfSquares)
    gradient.add(path, sum);
  brought[rank] = true;
  return missing.fetch_sub(1) == 1;
}

} // namespace plc::runtime

// Collects one share from each rank that steps.
#include "GradientNormReduction.h"

#include <algorithm>

namespace plc::runtime {

std::vector<bool> ranksThatStep(const EntryPlan &entry) {
  std::vector<bool> steps;
  for (const RankInfo &rank : entry.ranks)
    steps.push_back(std::any_of(rank.actions.begin(), rank.actions.end(),
                                [](const ActionInfo &action) { return action.op == ActionInfo::Op::Step; }));
  return steps;
}

GradientNormReduction::GradientNormReduction(const std::vector<bool> &steps)
    : losses(steps.size()), steps(steps), brought(steps.size()) {
  reset();
}

void GradientNormReduction::reset() {
  for (std::atomic<bool> &each : brought)
    each = false;
  missing = static_cast<size_t>(std::count(steps.begin(), steps.end(), true));
}

bool GradientNormReduction::bring(size_t rank, const StepShare &share) {
  std::lock_guard lock(mutex);
  // Sums are kept by path, and added by norm() in the order of paths.
  for (auto &[path, sum] : share.squares)
    squares.add(path, sum);
  losses[rank] = share.loss;
  brought[rank] = true;
  // Counted last: a rank that reads 0 may read the sums without the lock.
  return missing.fetch_sub(1) == 1;
}

} // namespace plc::runtime

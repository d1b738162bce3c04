// Adds up the gradient's norm and the loss over the ranks of one process.
#ifndef PLC_LIB_RUNTIME_EXECUTE_GRADIENTNORMREDUCTION_H
#define PLC_LIB_RUNTIME_EXECUTE_GRADIENTNORMREDUCTION_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Execute/Transport.h"

#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

namespace plc::runtime {

/// By rank: whether its actions have an optimizer's step.
std::vector<bool> ranksThatStep(const EntryPlan &entry);

/// Each rank that steps brings its share. When all have, each reads the squares of the whole gradient and the loss.
/// Norms are added in the order of paths and losses in the order of ranks. So the bits do not depend on which rank came
/// first.
class GradientNormReduction {
public:
  /// steps[r]: rank r has a step.
  explicit GradientNormReduction(const std::vector<bool> &steps);

  /// Forgets the last step. No rank may be running.
  void reset();
  /// Adds the share of a rank, once per step. Returns whether it was the last one: then the caller wakes the ranks that
  /// wait.
  bool bring(size_t rank, const StepShare &share);
  /// Whether every rank that steps has brought its share.
  bool done() const { return missing.load() == 0; }
  /// Valid after done(): the squares of the whole gradient, and the sum of all losses.
  const GradientNorm &gradient() const { return squares; }
  double loss() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }

  /// Whether the reduction still waits for this rank.
  bool awaits(size_t rank) const { return steps[rank] && !brought[rank] && !done(); }

private:
  std::mutex mutex;
  GradientNorm squares;
  std::vector<double> losses;             // by rank
  const std::vector<bool> steps;          // by rank
  std::vector<std::atomic<bool>> brought; // by rank
  std::atomic<size_t> missing{0};         // ranks that have not brought their share
};

} // namespace plc::runtime

#endif

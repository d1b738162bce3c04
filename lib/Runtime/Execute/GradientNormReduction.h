// What the ranks of one process tell each other at the optimizer's step.
#ifndef PLC_LIB_RUNTIME_EXECUTE_GRADIENTNORMREDUCTION_H
#define PLC_LIB_RUNTIME_EXECUTE_GRADIENTNORMREDUCTION_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Execute/Transport.h"

#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

namespace plc::runtime {

/// By rank: whether its actions end in a step.
std::vector<bool> ranksThatStep(const EntryPlan &entry);

/// Each rank that steps brings its share; when all have, each takes away the norm of the whole gradient and the loss. Those are
/// added in the order of paths and of ranks, so their bits do not depend on which rank came first.
class GradientNormReduction {
public:
  /// steps[r]: rank r has a step.
  explicit GradientNormReduction(const std::vector<bool> &steps);

  /// Forgets the last step. No rank may be running.
  void reset();
  /// Once per rank and step. Returns done(): then the others, if they wait, are to be woken.
  bool bring(size_t rank, const StepShare &share);
  bool done() const { return missing.load() == 0; }
  /// After done().
  double norm() const { return gradient.norm(); }
  double loss() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }

  /// The rank has yet to bring its own.
  bool awaits(size_t rank) const { return steps[rank] && !brought[rank] && !done(); }

private:
  std::mutex mutex;
  GradientNorm gradient;
  std::vector<double> losses; // by rank
  const std::vector<bool> steps;
  std::vector<std::atomic<bool>> brought; // by rank
  std::atomic<size_t> missing{0};
};

} // namespace plc::runtime

#endif

// What the ranks of one process tell each other at the optimizer's step.
#ifndef PLC_RUNTIME_GRADIENTNORMREDUCTION_H
#define PLC_RUNTIME_GRADIENTNORMREDUCTION_H

#include "Manifest.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace plc::runtime {

/// By rank: whether its actions end in a step.
std::vector<bool> ranksThatStep(const EntryPlan &entry);

/// Each rank that steps brings its parameters' sums of squares; when all have, each takes away the norm of the whole
/// gradient. That is added in path order, so its bits do not depend on who brought what.
class GradientNormReduction {
public:
  /// steps[r]: rank r has a step.
  explicit GradientNormReduction(const std::vector<bool> &steps);

  /// Forgets the last step. No rank may be running.
  void reset();
  /// Once per rank and step. Returns done(): then the others, if they wait, are to be woken.
  bool bring(size_t rank, const std::map<std::string, double> &sumsOfSquares);
  bool done() const { return missing.load() == 0; }
  /// After done().
  double norm() const { return gradient.norm(); }

  /// The rank has yet to bring its own.
  bool awaits(size_t rank) const { return steps[rank] && !brought[rank] && !done(); }

private:
  std::mutex mutex;
  GradientNorm gradient;
  const std::vector<bool> steps;
  std::vector<std::atomic<bool>> brought; // by rank
  std::atomic<size_t> missing{0};
};

} // namespace plc::runtime

#endif

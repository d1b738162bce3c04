// What the ranks of one process tell each other at the optimizer's step.
#ifndef PLC_RUNTIME_STEPEXCHANGE_H
#define PLC_RUNTIME_STEPEXCHANGE_H

#include "Channel.h"
#include "plc/Runtime/Optimizer.h"

namespace plc::runtime {

/// A barrier of all ranks that step: each brings its parameters' sums of squares and takes away the norm of the whole
/// gradient. That is added in path order, so its bits do not depend on who brought what.
class StepExchange {
public:
  StepExchange(size_t numRanks, const StopFlag &stop) : numRanks(numRanks), stop(stop) {}

  /// Forgets the last step. No rank may be running.
  void reset();
  /// Once per rank and step. Waits for the others; false if the run was stopped.
  bool combine(const std::map<std::string, double> &sumsOfSquares, double &norm);
  /// After the stop flag was set.
  void wakeAll();

private:
  size_t numRanks;
  const StopFlag &stop;
  std::mutex mutex;
  std::condition_variable changed;
  GradientNorm gradient;
  size_t arrived = 0;
};

} // namespace plc::runtime

#endif

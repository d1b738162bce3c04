// Whether a plan's lifetimes are right, by running with wrong bytes: `--check-arena` and `--check-live`.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ARENACHECKS_H
#define PLC_LIB_RUNTIME_EXECUTE_ARENACHECKS_H

#include "Results.h"

#include <functional>

namespace plc::runtime {

/// Runs plainly without the step, and then with NaN in every byte that the plan calls dead. Throws Error (exit code 1)
/// unless all bits agree: a lifetime ends too early.
void runPoisoned(Session &session, const Results &results, const TrainingStep &step, const std::vector<Bytes> &inputs);

/// For each rank, at the moment when its arena is fullest, and for each place that the plan calls live then: runs with
/// other bytes in that place. Throws Error (exit code 1) if no bit of any result changes: a lifetime ends too late, and
/// the peak is higher than it must be. `make` gives a session with the present parameters.
void checkLive(const Manifest &manifest, const Results &results, const std::function<std::unique_ptr<Session>()> &make,
               const std::vector<Bytes> &inputs);

} // namespace plc::runtime

#endif

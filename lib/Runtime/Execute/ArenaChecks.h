// Checks of planned lifetimes: runs with wrong bytes in the arena.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ARENACHECKS_H
#define PLC_LIB_RUNTIME_EXECUTE_ARENACHECKS_H

#include "Results.h"

#include <functional>

namespace plc::runtime {

/// `--check-arena`: no lifetime ends too early. Runs the entry on the same inputs and states twice: without the
/// optimizer's step, then with it and with NaN in every byte that the plan calls dead. Throws Error (exit code 1)
/// unless all results and states have equal bits.
void runPoisoned(Session &session, const Results &results, const TrainingStep &step, const std::vector<Bytes> &inputs);

/// `--check-live`: no lifetime ends too late. For each rank at the action where its arena is fullest, and for each
/// value that the plan calls live then: runs with other bytes in that value. Throws Error (exit code 1) if no bit of
/// any result changes, because then the peak is higher than it must be. `make` returns a session with the present
/// parameters. It is called again after each run that fails, because a stopped session cannot run again.
void checkLive(const Manifest &manifest, const Results &results, const std::function<std::unique_ptr<Session>()> &make,
               const std::vector<Bytes> &inputs);

} // namespace plc::runtime

#endif

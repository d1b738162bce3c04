// Chooses the workers of a rank where strategy and options leave them open.
#ifndef PLC_LIB_RUNTIME_EXECUTE_CHOOSEWORKERS_H
#define PLC_LIB_RUNTIME_EXECUTE_CHOOSEWORKERS_H

#include "plc/Module/Manifest.h"

#include <optional>
#include <vector>

namespace plc::runtime {

/// `PLC_THREADS_PER_STAGE` of the environment, if it is set. Throws usageError unless it is 1 to 256.
std::optional<int64_t> workersOfEnvironment();

/// Workers of each rank of an entry, at least 1. `cpus` are the CPUs of this process (a fraction, if a quota says so),
/// and `localRanks` its ranks of the entry. At most as many workers as a rank has CPUs; fewer if the simulator predicts
/// a run that is no longer with them. The prediction includes the time to wake helping workers.
int64_t chooseWorkers(const module::Manifest &manifest, const module::EntryPlan &entry, double cpus, size_t localRanks);

} // namespace plc::runtime

#endif

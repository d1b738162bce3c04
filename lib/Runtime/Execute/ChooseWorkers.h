// How many workers a rank has where neither the strategy nor the run says so.
#ifndef PLC_LIB_RUNTIME_EXECUTE_CHOOSEWORKERS_H
#define PLC_LIB_RUNTIME_EXECUTE_CHOOSEWORKERS_H

#include "plc/Module/Manifest.h"

#include <optional>
#include <vector>

namespace plc::runtime {

/// `PLC_THREADS_PER_STAGE` of the environment, if it is set. Throws usageError unless it is 1 to 256.
std::optional<int64_t> workersOfEnvironment();

/// Workers of each rank of an entry, of which `cpus` has `localRanks` in this process: as many as each rank has CPUs, or fewer if a
/// run is predicted to take no longer with them. In its time counts what it takes to wake those that help.
int64_t chooseWorkers(const module::Manifest &manifest, const module::EntryPlan &entry, double cpus, size_t localRanks);

} // namespace plc::runtime

#endif

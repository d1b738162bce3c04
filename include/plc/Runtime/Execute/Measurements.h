// Memory and times of runs, measured and predicted.
#ifndef PLC_RUNTIME_EXECUTE_MEASUREMENTS_H
#define PLC_RUNTIME_EXECUTE_MEASUREMENTS_H

#include "plc/Runtime/Base/ManifestChecks.h"

#include <optional>

namespace plc::runtime {

class Session;

/// Bytes that malloc has given out, all threads together.
int64_t allocatedBytes();

/// The memory of every rank, after a run; `heapBytes` are those allocated since before the session was made.
/// Collective.
std::vector<RankMemory> memoryOf(const Manifest &manifest, const Session &session, int64_t threadsPerStage,
                                 int64_t heapBytes);

/// Kernels with calls, slowest first; empty unless the module profiles. Collective.
std::vector<KernelProfile> profileOf(const Manifest &manifest, const Session &session);

/// The session's last run, measured and as the simulator plays it in one process on the usable CPUs. Nullopt unless all
/// ranks are here and their tasks are timed. `sharesKernels`: idle workers help.
std::optional<RunTimes> timesOf(const Manifest &manifest, const Session &session, int64_t threadsPerStage,
                                bool sharesKernels);

/// Floating-point operations of one run.
int64_t flopsOf(const Manifest &manifest, const EntryPlan &entry);

} // namespace plc::runtime

#endif

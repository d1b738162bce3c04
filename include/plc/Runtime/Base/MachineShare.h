// How much of the machine this process may use: CPUs and memory.
#ifndef PLC_RUNTIME_BASE_MACHINESHARE_H
#define PLC_RUNTIME_BASE_MACHINESHARE_H

#include <cstdint>
#include <string>

namespace plc::runtime {

/// CPUs in the affinity mask, or the quota of the control group if that is less.
double usableCpus();

/// CPUs of a quota as cgroup v2 writes it in cpu.max: `QUOTA PERIOD` in us. Infinity for `max` or anything else.
double quotaCpus(const std::string &cpuMax);

/// Bytes that new allocations may take: the least of what the system calls available, what a control group leaves, and what the
/// limits of `ulimit -v` and `-d` leave; the largest number if nobody tells.
int64_t availableBytes();

/// The same of the control group in a folder, of version 1 or 2: its limit without what is used, but for cached files, which are evicted
/// when memory is needed.
int64_t availableInGroup(const std::string &folder);

/// Memory that this process has now, and the most that it has had.
int64_t residentBytes();
int64_t peakResidentBytes();

/// Throws Error (exit code 3), with both numbers, if `bytes` of `what` are more than there are. `file` is whose.
void checkAvailable(const std::string &file, const std::string &what, int64_t bytes);

} // namespace plc::runtime

#endif

// The CPUs and the memory that this process may use.
#ifndef PLC_RUNTIME_BASE_MACHINESHARE_H
#define PLC_RUNTIME_BASE_MACHINESHARE_H

#include <cstdint>
#include <string>

namespace plc::runtime {

/// CPUs in the affinity mask, or the quota of the control group if that is less; may be a fraction.
double usableCpus();

/// CPUs of a quota in the format of cgroup v2's cpu.max: `QUOTA PERIOD` in us. Infinity for `max` or anything else.
double quotaCpus(const std::string &cpuMax);

/// Bytes that new allocations may take: the least of MemAvailable, of what a control group leaves, and of what `ulimit
/// -v` and `-d` leave. INT64_MAX if none is known.
int64_t availableBytes();

/// What the control group of a folder leaves, version 1 or 2: its limit minus its use. Cached files do not count as
/// used, because they are evicted when memory is needed.
int64_t availableInGroup(const std::string &folder);

/// Memory that this process has now, and its peak; 0 if unknown.
int64_t residentBytes();
int64_t peakResidentBytes();

/// Throws Error (exit code 3), with both numbers, if `bytes` of `what` exceed what is available. `file` is the module.
void checkAvailable(const std::string &file, const std::string &what, int64_t bytes);

} // namespace plc::runtime

#endif

// How much of the machine this process may use: CPUs and memory.
#ifndef PLC_RUNTIME_MACHINESHARE_H
#define PLC_RUNTIME_MACHINESHARE_H

#include <cstdint>
#include <string>

namespace plc::runtime {

/// CPUs in the affinity mask, or the quota of the control group if that is less.
double usableCpus();

/// CPUs of a quota as cgroup v2 writes it in cpu.max: `QUOTA PERIOD` in us. Infinity for `max` or anything else.
double quotaCpus(const std::string &cpuMax);

/// Bytes that new allocations may take: what the system calls available, or the control group's limit if that is less;
/// the largest number if nobody tells.
int64_t availableBytes();

/// Throws Error (exit code 1), with both numbers, if `bytes` of `what` are more than there are. `file` is whose.
void checkAvailable(const std::string &file, const std::string &what, int64_t bytes);

} // namespace plc::runtime

#endif

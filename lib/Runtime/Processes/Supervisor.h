// Follows a process on another machine than its launcher's.
#ifndef PLC_LIB_RUNTIME_PROCESSES_SUPERVISOR_H
#define PLC_LIB_RUNTIME_PROCESSES_SUPERVISOR_H

#include <cstdint>
#include <string>

namespace plc::runtime {

/// Splits this process in two. The call returns in the child, which has a flight recorder, and ends with its parent.
/// The parent reports to the launcher at `address` (FlightLinks) until the child has ended, and ends as the child did,
/// also if it loses the launcher. If the launcher cannot be reached at all, nothing happens. To be called before there
/// are threads, because fork() copies only one.
void supervise(const std::string &address, int64_t process);

} // namespace plc::runtime

#endif

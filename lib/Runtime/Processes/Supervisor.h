// Of a process on another machine than its launcher's: a second one there, that follows it for the launcher.
#ifndef PLC_LIB_RUNTIME_PROCESSES_SUPERVISOR_H
#define PLC_LIB_RUNTIME_PROCESSES_SUPERVISOR_H

#include <cstdint>
#include <string>

namespace plc::runtime {

/// Divides this process in two: the one that returns has a flight recorder, and ends with the other, which tells the launcher at `address`
/// (FlightLinks) how it fares, until it has ended. That one ends as it did, also if the launcher cannot be reached any more. If the
/// launcher cannot be reached to begin with, nothing happens. To be called before there are threads.
void supervise(const std::string &address, int64_t process);

} // namespace plc::runtime

#endif

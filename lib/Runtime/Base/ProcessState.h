// A process's state, from /proc.
#ifndef PLC_LIB_RUNTIME_BASE_PROCESSSTATE_H
#define PLC_LIB_RUNTIME_BASE_PROCESSSTATE_H

#include <cstdint>
#include <optional>

namespace plc::runtime {

/// The letter of /proc/PID/stat: R, S, D, T, Z, ..; nullopt if there is no such process.
std::optional<char> stateOfProcess(int64_t pid);

/// Whether the process exists and is no zombie.
bool isAlive(int64_t pid);

} // namespace plc::runtime

#endif

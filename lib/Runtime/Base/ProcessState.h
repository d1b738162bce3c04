// What the system says of a process.
#ifndef PLC_LIB_RUNTIME_BASE_PROCESSSTATE_H
#define PLC_LIB_RUNTIME_BASE_PROCESSSTATE_H

#include <cstdint>
#include <optional>

namespace plc::runtime {

/// As /proc tells it: R, S, D, T, Z, ..; nothing if there is no such process.
std::optional<char> stateOfProcess(int64_t pid);

/// Whether it is there, and not only because nobody has asked yet how it ended.
bool isAlive(int64_t pid);

} // namespace plc::runtime

#endif

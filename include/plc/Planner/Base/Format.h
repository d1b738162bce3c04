//===- Format.h - figures for people ----------------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_FORMAT_H
#define PLC_PLANNER_BASE_FORMAT_H

#include <cstdint>
#include <string>

namespace plc::planner {

/// "950 ns", "31.4 us", "12.0 ms".
std::string formatNs(int64_t ns);

/// "3.2 GiB", "512 B".
std::string formatBytes(int64_t bytes);

/// "12.5 %"; of nothing "0.0 %".
std::string formatPart(int64_t part, int64_t whole);

/// ": 64 bytes are missing", behind what is needed and its limit, which may look the same.
std::string formatMissing(int64_t needed, int64_t limit);

} // namespace plc::planner

#endif

//===- Format.h - numbers as people read them -------------------*- C++ -*-===//
#ifndef PLC_PLANNER_BASE_FORMAT_H
#define PLC_PLANNER_BASE_FORMAT_H

#include <cstdint>
#include <string>

namespace plc::planner {

/// "950 ns", "31.4 us", "12.0 ms".
std::string formatNs(int64_t ns);

/// "3.2 GiB", "512 B".
std::string formatBytes(int64_t bytes);

/// A fraction: "12.5 %"; of zero "0.0 %".
std::string formatPart(int64_t part, int64_t whole);

/// The shortfall, ": 64 bytes are missing". It follows the printed need and limit, which may look equal after rounding.
std::string formatShortfall(int64_t needed, int64_t limit);

/// "call 7": what a problem's error speaks of.
inline std::string numbered(const char *what, int64_t number) { return what + std::to_string(number); }

} // namespace plc::planner

#endif

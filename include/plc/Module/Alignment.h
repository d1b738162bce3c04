//===- Alignment.h - of offsets in an arena ---------------------*- C++ -*-===//
#ifndef PLC_MODULE_ALIGNMENT_H
#define PLC_MODULE_ALIGNMENT_H

#include <cstdint>

namespace plc::module {

/// All offsets in an arena are multiples of it: a cache line, and a vector of AVX-512.
inline constexpr int64_t alignment = 64;
inline int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

} // namespace plc::module

#endif

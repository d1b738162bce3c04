//===- Chunks.h - parts of a kernel that threads share ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_CHUNKS_H
#define PLC_SUPPORT_CHUNKS_H

#include <cstdint>

namespace plc {

/// The least number of chunks of a kernel that takes `ns`, if its loops have so many iterations. By the kernel's cost a
/// chunk takes about 100 us: long beside a claim, short beside the time that a descheduled thread loses. The runtime's
/// claims aim at the same time (lib/Runtime/Execute/Workers.cpp).
inline constexpr int64_t chunksOf(int64_t ns) { return ns / 100'000 + 1; }

} // namespace plc

#endif

//===- Chunks.h - parts of a kernel that threads share ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_CHUNKS_H
#define PLC_SUPPORT_CHUNKS_H

#include <cstdint>

namespace plc {

/// In how many parts a kernel of so many ns is divided at least, if its loops have so many: one takes about 100 us by
/// the kernel's cost, which is long beside a claim and short beside what a descheduled thread loses.
inline constexpr int64_t chunksOf(int64_t ns) { return ns / 100'000 + 1; }

} // namespace plc

#endif

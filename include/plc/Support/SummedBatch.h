//===- SummedBatch.h - results that are sums over the samples ---*- C++ -*-===//
#ifndef PLC_SUPPORT_SUMMEDBATCH_H
#define PLC_SUPPORT_SUMMEDBATCH_H

#include <cstdint>

namespace plc {

/// In place of a result's batch axis: the program gives a value for each sample, one behind the other, and the result is their sum.
inline constexpr int64_t summedBatch = -2;

} // namespace plc

#endif

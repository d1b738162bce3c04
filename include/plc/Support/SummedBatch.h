//===- SummedBatch.h - results that are sums over the samples ---*- C++ -*-===//
#ifndef PLC_SUPPORT_SUMMEDBATCH_H
#define PLC_SUPPORT_SUMMEDBATCH_H

#include <cstdint>

namespace plc {

/// Stands for a result's batch axis if the program gives a value for each sample, one behind another, and the result is
/// their sum.
inline constexpr int64_t summedBatch = -2;

} // namespace plc

#endif

// The rate of the machine's fused multiply-adds, measured, as the yardstick of bench.
#ifndef PLC_RUNTIME_BASE_FMAPEAK_H
#define PLC_RUNTIME_BASE_FMAPEAK_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// Floating-point operations per second of `threads` threads that do nothing but fma in registers, in AVX-512 or AVX2
/// as the CPU has them: the best of several short trials. 0 without FMA.
double measureFmaPeak(ElementType real, int64_t threads);

} // namespace plc::runtime

#endif

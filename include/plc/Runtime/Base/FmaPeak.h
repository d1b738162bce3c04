// Measures the machine's rate of fused multiply-adds, for bench.
#ifndef PLC_RUNTIME_BASE_FMAPEAK_H
#define PLC_RUNTIME_BASE_FMAPEAK_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// Floating-point operations per second of `threads` threads that do nothing but fma in registers, by AVX-512 or else
/// AVX2: the best of several short trials. 0 without FMA.
double measureFmaPeak(ElementType real, int64_t threads);

} // namespace plc::runtime

#endif

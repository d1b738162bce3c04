// Which instructions this CPU can execute, and which kernels BLIS uses.
#ifndef PLC_RUNTIME_BASE_CPUFEATURES_H
#define PLC_RUNTIME_BASE_CPUFEATURES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace plc::runtime {

/// Whether CPU and kernel support a feature under LLVM's name (`avx512f`, `fma`, `bmi`, `sse4.2`).
bool cpuHasFeature(std::string_view name);

/// Asks the system, once, to let this process use the tiles of AMX, as it must before it does. False if refused.
bool mayUseTiles();

/// Chooses BLIS's kernels by `BLIS_ARCH_TYPE`, unless the user has set it: those for AVX-512 if the CPU has it and
/// `wide` allows it, else those for AVX2. BLIS 0.9 does not know newer CPUs, and would use generic code. To be called
/// before the first call of BLIS, which decides for the process.
void chooseBlisKernels(bool wide);

/// BLIS's name of the CPU for which it has chosen kernels: `skx`, `haswell`, ...
std::string blisKernels();

/// Bytes that BLIS allocates for a thread that calls it: a packed block of either factor, for the largest element type.
int64_t blisBytesPerThread();

} // namespace plc::runtime

#endif

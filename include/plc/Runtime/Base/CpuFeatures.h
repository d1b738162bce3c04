// What this CPU can execute.
#ifndef PLC_RUNTIME_BASE_CPUFEATURES_H
#define PLC_RUNTIME_BASE_CPUFEATURES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace plc::runtime {

/// Whether CPU and kernel support a feature under LLVM's name (`avx512f`, `fma`, `bmi`, `sse4.2`).
bool cpuHasFeature(std::string_view name);

/// Asks the kernel, once, to let this process use the tiles of AMX, as it must; false if that refuses.
bool mayUseTiles();

/// Chooses BLIS's kernels (`BLIS_ARCH_TYPE`, unless the user has set it): those for AVX-512 if the CPU has it and `wide`
/// allows it, else those for AVX2. BLIS 0.9 does not know newer CPUs and would fall back to generic code. Call before the
/// first BLIS call, which decides for the process.
void chooseBlisKernels(bool wide);

/// BLIS's name of the CPU whose kernels it runs: `skx`, `haswell`, ...
std::string blisKernels();

/// What BLIS takes for a thread that calls it: a block of either factor, packed, as large as any element type needs it.
int64_t blisBytesPerThread();

} // namespace plc::runtime

#endif

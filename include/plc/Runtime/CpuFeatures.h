// What this CPU can execute.
#ifndef PLC_RUNTIME_CPUFEATURES_H
#define PLC_RUNTIME_CPUFEATURES_H

#include <string_view>

namespace plc::runtime {

/// Whether CPU and kernel support a feature under LLVM's name (`avx512f`, `fma`, `bmi`, `sse4.2`).
bool cpuHasFeature(std::string_view name);

/// Chooses BLIS's kernels for this CPU (`BLIS_ARCH_TYPE`, unless the user has set it). BLIS 0.9 does not know newer
/// CPUs and would fall back to generic code. Call before the first BLIS call.
void chooseBlisKernels();

} // namespace plc::runtime

#endif

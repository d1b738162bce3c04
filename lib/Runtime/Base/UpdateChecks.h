// Checks of the compiled rules of optimizers.
#ifndef PLC_LIB_RUNTIME_BASE_UPDATECHECKS_H
#define PLC_LIB_RUNTIME_BASE_UPDATECHECKS_H

#include "plc/Runtime/Base/ManifestChecks.h"

namespace plc::runtime {

/// Throws if rules read or write outside of their memory, or name what a step does not have.
void checkUpdates(const std::string &file, const Manifest &manifest);

} // namespace plc::runtime

#endif

// What `plc-run inspect` prints.
#ifndef PLC_LIB_COMMANDS_INSPECT_H
#define PLC_LIB_COMMANDS_INSPECT_H

#include "plc/Runtime/Base/Module.h"

namespace plc::runtime {

/// Entries with their tensors, parameters, optimizer, plan and kernels, as tables for people.
void tellModule(const Module &module);

} // namespace plc::runtime

#endif

// Prints a module: `plc-run inspect`.
#ifndef PLC_LIB_COMMANDS_INSPECT_H
#define PLC_LIB_COMMANDS_INSPECT_H

#include "plc/Runtime/Base/Module.h"

namespace plc::runtime {

/// Prints entries with their tensors, parameters, optimizer, plan and kernels, as tables.
void printModule(const Module &module);

} // namespace plc::runtime

#endif

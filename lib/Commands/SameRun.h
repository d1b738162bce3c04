// Checks that all processes of a run were started alike.
#ifndef PLC_LIB_COMMANDS_SAMERUN_H
#define PLC_LIB_COMMANDS_SAMERUN_H

#include "Options.h"
#include "plc/Runtime/Base/ProcessGroup.h"

namespace plc::runtime {

/// Collective. Throws Error (exit code 1), with both values, if a process has another command than the first, another
/// value of an option that must be alike, or other data. Of a file its length and some of its bytes are compared.
void checkSameRun(const Options &options, ProcessGroup &world);

} // namespace plc::runtime

#endif

// Whether a run would write over what it reads.
#ifndef PLC_RUNTIME_OVERWRITES_H
#define PLC_RUNTIME_OVERWRITES_H

#include "Options.h"

namespace plc::runtime {

/// Throws usageError if '--log' or '--trace' names a file that the run reads, such as its model, its data or a file of a
/// checkpoint, or that another option writes.
void checkOverwrites(const Options &options);

} // namespace plc::runtime

#endif

// Whether a run would write over what it reads.
#ifndef PLC_LIB_COMMANDS_OVERWRITES_H
#define PLC_LIB_COMMANDS_OVERWRITES_H

#include "Options.h"

namespace plc::runtime {

/// Throws usageError if '--log' or '--trace' names a file that the run reads, such as its model, its data or a file of a
/// checkpoint, or that another option writes.
void checkOverwrites(const Options &options);

/// Throws usageError if a file that an option names holds something already, as the log or trace of another run, unless
/// '--overwrite' is given. `goesOn`: what else can be done with it.
void refuseFormer(const char *flag, const std::string &file, const Options &options, const char *goesOn = "");

} // namespace plc::runtime

#endif

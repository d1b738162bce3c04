// Refuses runs that would overwrite their own inputs or other results.
#ifndef PLC_LIB_COMMANDS_OVERWRITES_H
#define PLC_LIB_COMMANDS_OVERWRITES_H

#include "Options.h"

namespace plc::runtime {

/// Throws usageError if '--log', '--log-csv' or '--trace' names a file that the run reads (its model, data or a
/// checkpoint's), or that another option writes.
void checkOverwrites(const Options &options);

/// Throws usageError if a file that an option names is not empty, unless '--overwrite' is given. `goesOn` names another
/// remedy.
void refuseFormer(const char *flag, const std::string &file, const Options &options, const char *goesOn = "");

/// The same for all logs of a training run that starts.
void refuseFormerLogs(const Options &options);

} // namespace plc::runtime

#endif

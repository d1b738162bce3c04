// Opening what the user names: a module, or a model that is compiled first.
#ifndef PLC_RUNTIME_MODELFILE_H
#define PLC_RUNTIME_MODELFILE_H

#include "plc/Runtime/Commands.h"

namespace plc::runtime {

/// A `.plcm` takes run-time keys only (`machine.threads_per_stage`). A `.ein` file is compiled by the plc-compile
/// beside the running program, with --strategy, --set, -D and --entry passed on; the module is kept in
/// ${XDG_CACHE_HOME:-~/.cache}/plc under a hash of everything that went in.
std::unique_ptr<Engine> openModelFile(const ModelRequest &request);

} // namespace plc::runtime

#endif

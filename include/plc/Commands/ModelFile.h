// Opening what the user names: a module, or a model that is compiled first.
#ifndef PLC_COMMANDS_MODELFILE_H
#define PLC_COMMANDS_MODELFILE_H

#include "plc/Commands/Commands.h"
#include "plc/Simulator/Cluster.h"

namespace plc::runtime {

/// A `.plcm` takes run-time keys only (`machine.threads_per_stage`, `machine.transport`). A `.ein` file is compiled by the plc-compile
/// beside the running program, with --strategy, --set, -D and --entry passed on; the module is kept in
/// ${XDG_CACHE_HOME:-~/.cache}/plc under a hash of everything that went in.
std::unique_ptr<Engine> openModelFile(const ModelRequest &request);

/// Prints what a module holds; a `.ein` file is compiled first, in the same way. The CPU need not be able to run it.
void inspectModelFile(const ModelRequest &request);

/// Plays the plan of a module's first entry on the cluster that `--cluster` describes, prints what comes of it, and writes
/// `--trace`. `readCluster` reads the description. Throws Error: with exit code 3 if the cluster has no room for the plan.
void simulateModelFile(const ModelRequest &request, simulator::ClusterReader readCluster);

} // namespace plc::runtime

#endif

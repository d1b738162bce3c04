// Opens what the user names: a module, or a model to be compiled first.
#ifndef PLC_COMMANDS_MODELFILE_H
#define PLC_COMMANDS_MODELFILE_H

#include "plc/Commands/Commands.h"
#include "plc/Simulator/Cluster.h"

namespace plc::runtime {

/// Opens a model. A `.plcm` takes only run-time keys (`machine.threads_per_stage`, `machine.transport`,
/// `training.nonfinite`). A `.ein` file is compiled by the plc-compile beside this program, with --strategy, --set, -D
/// and --entry. Its module is kept in ${XDG_CACHE_HOME:-~/.cache}/plc under a hash of everything that it is made from.
std::unique_ptr<Engine> openModelFile(const ModelRequest &request);

/// The weights of an archive of PyTorch, in a file that is kept as modules are; empty for other models.
std::string archivedWeights(const ModelRequest &request);

/// Prints a module; a `.ein` file is compiled first. The CPU need not be able to run it.
void inspectModelFile(const ModelRequest &request);

/// Plays the plan of a module's first entry on the cluster of `--cluster`, prints the result, and writes `--trace`.
/// `readCluster` parses the description. Throws Error; with exit code 3 if the plan does not fit the cluster.
void simulateModelFile(const ModelRequest &request, simulator::ClusterReader readCluster);

} // namespace plc::runtime

#endif

// Plays a module's plan on a described cluster: `plc-run simulate`.
#ifndef PLC_LIB_COMMANDS_SIMULATEFILE_H
#define PLC_LIB_COMMANDS_SIMULATEFILE_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Simulator/Cluster.h"

namespace plc::runtime {

/// Prints the step of the first entry, and each rank's and link's share in it. Writes a trace unless `traceFile` is
/// empty. `clusterFile` is named in errors.
void simulateModule(const Manifest &manifest, const simulator::Cluster &cluster, const std::string &clusterFile,
                    const std::string &traceFile);

} // namespace plc::runtime

#endif

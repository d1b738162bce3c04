// `plc-run simulate`: a module's plan on a described cluster.
#ifndef PLC_LIB_COMMANDS_SIMULATEFILE_H
#define PLC_LIB_COMMANDS_SIMULATEFILE_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Simulator/Cluster.h"

namespace plc::runtime {

/// Prints the step of the first entry, and of each rank and each pair that sends what they do; writes a trace unless its
/// file is empty. `clusterFile` is named in errors.
void simulateModule(const Manifest &manifest, const simulator::Cluster &cluster, const std::string &clusterFile,
                    const std::string &traceFile);

} // namespace plc::runtime

#endif

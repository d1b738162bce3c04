//===- Cluster.h - the machines that ranks run on ---------------*- C++ -*-===//
#ifndef PLC_SIMULATOR_CLUSTER_H
#define PLC_SIMULATOR_CLUSTER_H

#include "plc/Support/Rates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::simulator {

/// A link between two machines or ranks. Messages pass one after another: a message of b bytes occupies the link for `b
/// * nsPerByte`, and arrives `latencyNs` later.
struct Link {
  double latencyNs = 0, nsPerByte = 0;
};

/// A machine of a cluster. It takes `ranks` ranks.
struct Machine {
  std::string name;
  int64_t ranks = 1;
  int64_t cores = 0;       ///< 0: one for each rank; computing ranks share fewer cores evenly
  int64_t memoryBytes = 0; ///< for the arenas of all its ranks; 0: no limit
  double speed = 1;        ///< of a core; 1 is the core that times were predicted for
};

/// Ranks of a machine that are threads of one process. The rank that completes a message, as sender or receiver, copies
/// it, and wakes the waiting rank if that sleeps. Both take the copying rank's time.
struct Threads {
  double wakeNs = 0; ///< of the call that wakes; the woken rank runs as much later
  double spinNs = 0; ///< how long a waiting rank spins before it sleeps
};

/// The machines, and the links between them. Ranks fill the machines in order.
struct Cluster {
  struct Pair {
    size_t first = 0, second = 0; ///< machines
    Link link;                    ///< in each direction
  };

  std::vector<Machine> machines;
  Link inside; ///< between two ranks of a machine
  std::optional<Threads> threads;
  Link between;            ///< between two machines
  std::vector<Pair> pairs; ///< of machines that another link joins
  /// Idle workers of a machine compute chunks of its other ranks' kernels, as plc-run's do in one process.
  bool sharesKernels = false;
  double helperWakeNs = 0; ///< time to wake all workers of another rank for a kernel

  /// Sets the machine of each rank, or returns why a rank has none.
  std::optional<std::string> place(size_t ranks, std::vector<size_t> &machineOf) const;
  /// The link between two machines; `inside` if they are one.
  const Link &link(size_t from, size_t to) const;
};

/// An error in a description of a cluster: line and column count from 1, in bytes.
struct ClusterError {
  int64_t line = 0, column = 0;
  std::string text;
};

/// Reads a cluster from TOML, as docs/running.md describes it.
std::optional<ClusterError> readCluster(const std::string &toml, Cluster &cluster);
using ClusterReader = std::optional<ClusterError> (*)(const std::string &toml, Cluster &cluster);

/// One process with so many workers for each rank, of which idle ones help other ranks, at these rates. `cores` as in
/// Machine.
Cluster oneProcess(size_t ranks, int64_t cores, const PerRate &rates, int64_t threadsPerRank = 1);

/// The speed of each of so many cores that compute at once; one alone has 1.
double speedOfEach(int64_t busyCores, const PerRate &rates);

} // namespace plc::simulator

#endif

//===- Cluster.h - the machines that ranks run on ---------------*- C++ -*-===//
#ifndef PLC_SIMULATOR_CLUSTER_H
#define PLC_SIMULATOR_CLUSTER_H

#include "plc/Support/Rates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::simulator {

/// What messages from one place to another go through, one after another: a message of b bytes occupies it for
/// `b * nsPerByte`, and is there `latencyNs` later.
struct Link {
  double latencyNs = 0, nsPerByte = 0;
};

struct Machine {
  std::string name;
  int64_t ranks = 1;
  int64_t cores = 0;       ///< 0: one for each rank; ranks that compute share what there is evenly
  int64_t memoryBytes = 0; ///< for the arenas of all its ranks together; 0: any
  double speed = 1;        ///< of a core: how many times as fast as the one that times were predicted for
};

/// Ranks of a machine as threads of one process: whoever makes a message complete copies it, and wakes the rank that
/// waits for it if that sleeps. Both take the waker's time.
struct Threads {
  double wakeNs = 0; ///< of the call that wakes; as much later the other one runs
  double spinNs = 0; ///< how long a rank that waits does not sleep
};

/// Ranks fill the machines in their order.
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
  /// Idle workers of a machine compute parts of its other ranks' kernels, as plc-run's do in one process.
  bool sharesKernels = false;
  double helperWakeNs = 0; ///< what it takes to wake all workers of another rank for a kernel

  /// The machine of each rank, or why it has none.
  std::optional<std::string> place(size_t ranks, std::vector<size_t> &machineOf) const;
  const Link &link(size_t from, size_t to) const;
};

/// Where a description of a cluster is wrong, counted from 1, in bytes.
struct ClusterError {
  int64_t line = 0, column = 0;
  std::string text;
};

/// Reads a cluster as docs/running.md describes it.
std::optional<ClusterError> readCluster(const std::string &toml, Cluster &cluster);
using ClusterReader = std::optional<ClusterError> (*)(const std::string &toml, Cluster &cluster);

/// One process with so many workers for each rank, of which idle ones help other ranks, by these rates. `cores` as of Machine.
Cluster oneProcess(size_t ranks, int64_t cores, const PerRate &rates, int64_t threadsPerRank = 1);

/// How fast each of so many cores is that compute at once, one alone being 1.
double speedOfEach(int64_t busyCores, const PerRate &rates);

} // namespace plc::simulator

#endif

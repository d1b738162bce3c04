//===- Cluster.cpp - the machines that ranks run on -----------------------===//
#include "plc/Simulator/Cluster.h"

#include <algorithm>
#include <cmath>

namespace plc::simulator {

std::optional<std::string> Cluster::place(size_t ranks, std::vector<size_t> &machineOf) const {
  machineOf.clear();
  for (size_t machine = 0; machine < machines.size(); ++machine)
    for (int64_t i = 0; i < machines[machine].ranks && machineOf.size() < ranks; ++i)
      machineOf.push_back(machine);
  if (machineOf.size() == ranks)
    return std::nullopt;
  return "the cluster has " + std::to_string(machineOf.size()) + " ranks but the module needs " + std::to_string(ranks);
}

const Link &Cluster::link(size_t from, size_t to) const {
  if (from == to)
    return inside;
  for (const Pair &pair : pairs)
    if ((pair.first == from && pair.second == to) || (pair.first == to && pair.second == from))
      return pair.link;
  return between;
}

// Clocks fall, and bandwidth is shared, the more cores compute. The rate is measured on one core and on all; each
// doubling of the cores costs the same factor, between and beyond.
double speedOfEach(int64_t busyCores, const PerRate &rates) {
  return 1 /
         std::pow(std::max(1.0, rates[Rate::busy]), std::log2(static_cast<double>(std::max<int64_t>(1, busyCores))));
}

Cluster oneProcess(size_t ranks, int64_t cores, const PerRate &rates, int64_t threadsPerRank) {
  Cluster cluster;
  auto count = static_cast<int64_t>(ranks);
  Machine &here = cluster.machines.emplace_back(Machine{"here", count, cores});
  here.speed = speedOfEach((cores ? std::min(cores, count) : count) * threadsPerRank, rates);
  cluster.sharesKernels = count > 1;
  cluster.helperWakeNs = rates[Rate::wake] * static_cast<double>(threadsPerRank);
  cluster.inside = {0, 2 * rates[Rate::cachedByte]}; // a copy reads and writes each byte
  // With fewer cores than ranks a waiting rank sleeps at once, so that others may compute.
  cluster.threads = {rates[Rate::wake], cores && cores < count ? 0 : shortWaitNs(rates)};
  return cluster;
}

} // namespace plc::simulator

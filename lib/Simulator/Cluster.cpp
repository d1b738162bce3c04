//===- Cluster.cpp - the machines that ranks run on -------------------------===//
#include "plc/Simulator/Cluster.h"

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

Cluster oneProcess(size_t ranks, int64_t cores, const PerRate &rates) {
  Cluster cluster;
  auto count = static_cast<int64_t>(ranks);
  cluster.machines.push_back({"here", count, cores});
  cluster.inside = {0, 2 * rates[Rate::cachedByte]}; // read and written
  cluster.threads = {rates[Rate::wake], cores && cores < count ? 0 : shortWaitNs(rates)};
  return cluster;
}

} // namespace plc::simulator

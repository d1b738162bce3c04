//===- Ideals.cpp - enumerate ideals, set by set --------------------------===//
#include "Ideals.h"

#include <algorithm>
#include <unordered_map>

using namespace plc::planner;

int64_t Ideals::add(int64_t before, int64_t part, int64_t partNs) {
  int64_t ideal = steps.size();
  steps.emplace_back();
  size.push_back(before < 0 ? 0 : size[before] + 1);
  ns.push_back(before < 0 ? 0 : ns[before] + partNs);
  from.push_back(before);
  last.push_back(part);
  if (before >= 0)
    steps[before].push_back({part, ideal});
  return ideal;
}

void Ideals::takePrefixes(const PartitionProblem &problem, const std::vector<int64_t> &order) {
  *this = Ideals();
  position.resize(order.size());
  add(-1, -1, 0);
  for (size_t place = 0; place < order.size(); ++place) {
    position[order[place]] = place;
    add(place, order[place], problem.parts[order[place]].ns);
  }
}

std::vector<bool> Ideals::members(int64_t ideal) const {
  std::vector<bool> in(position.size());
  for (; last[ideal] >= 0; ideal = from[ideal])
    in[last[ideal]] = true;
  return in;
}

bool Ideals::enumerate(const PartitionProblem &problem, size_t most) {
  *this = Ideals();
  size_t parts = problem.parts.size(), words = (parts + 63) / 64;
  Edges edges = problem.orders();
  std::vector<int64_t> order;
  if (!sortTopologically(parts, edges, order))
    return false;
  position.resize(parts);
  for (size_t place = 0; place < parts; ++place)
    position[order[place]] = place;
  std::vector<std::vector<int64_t>> before(parts), after(parts);
  for (auto [a, b] : edges) {
    before[b].push_back(a);
    after[a].push_back(b);
  }
  // Of each ideal: its members as bits, and the parts that may be added.
  std::vector<std::vector<uint64_t>> bits{std::vector<uint64_t>(words)};
  std::vector<std::vector<int64_t>> ready(1);
  auto has = [](const std::vector<uint64_t> &set, int64_t part) { return set[part / 64] >> part % 64 & 1; };
  for (int64_t part : order)
    if (before[part].empty())
      ready[0].push_back(part);
  // A set's hash is the sum of its members', so that a step changes it by one.
  auto hashOf = [](int64_t part) {
    uint64_t x = (part + 1) * 0x9E3779B97F4A7C15u;
    return (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
  };
  std::vector<uint64_t> hashes{0};
  std::unordered_multimap<uint64_t, int64_t> known{{0, 0}};
  add(-1, -1, 0);
  for (int64_t ideal = 0; ideal < int64_t(steps.size()); ++ideal)
    for (size_t index = 0; index < ready[ideal].size(); ++index) {
      int64_t part = ready[ideal][index];
      std::vector<uint64_t> set = bits[ideal];
      set[part / 64] |= uint64_t(1) << part % 64;
      uint64_t hash = hashes[ideal] + hashOf(part);
      auto [it, end] = known.equal_range(hash);
      while (it != end && bits[it->second] != set)
        ++it;
      if (it != end) {
        steps[ideal].push_back({part, it->second});
        continue;
      }
      if (steps.size() >= most)
        return false;
      known.emplace(hash, add(ideal, part, problem.parts[part].ns));
      std::vector<int64_t> next;
      for (int64_t other : ready[ideal])
        if (other != part)
          next.push_back(other);
      for (int64_t other : after[part])
        if (std::all_of(before[other].begin(), before[other].end(), [&](int64_t each) { return has(set, each); }) &&
            std::find(next.begin(), next.end(), other) == next.end())
          next.push_back(other);
      ready.push_back(std::move(next));
      bits.push_back(std::move(set));
      hashes.push_back(hash);
    }
  return true;
}

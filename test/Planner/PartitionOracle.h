//===- PartitionOracle.h - small graphs to cut, and their best cuts -------===//
#ifndef PLC_TEST_PLANNER_PARTITIONORACLE_H
#define PLC_TEST_PLANNER_PARTITIONORACLE_H

#include "plc/Planner/Partition.h"

#include <algorithm>
#include <random>

namespace plc::planner {

/// Parts with forward tensors from lower to higher numbers, some gradients, residents, and perhaps a limit.
inline PartitionProblem randomGraph(std::mt19937 &random, int64_t parts, int64_t stages) {
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  PartitionProblem problem;
  problem.stages = stages;
  problem.inFlight.assign(stages, 1);
  for (int64_t part = 0; part < parts; ++part)
    problem.parts.push_back({"p", upTo(50), upTo(100), upTo(100)});
  for (int64_t &flying : problem.inFlight)
    flying = 1 + upTo(3);
  for (int64_t part = 0; part + 1 < parts; ++part) {
    std::vector<int64_t> readers;
    for (int64_t other = part + 1; other < parts; ++other)
      if (upTo(parts) < 2)
        readers.push_back(other);
    problem.tensors.push_back({part, readers, upTo(9), upTo(100)});
    for (int64_t reader : readers)
      if (upTo(1))
        problem.tensors.push_back({reader, {part}, upTo(9), upTo(100), /*forward=*/false});
  }
  problem.residents.push_back({{upTo(parts - 1)}, upTo(200), upTo(100)});
  return problem;
}

/// The time of the best of all stages of all parts, or -1. It judges by itself what fits, and asks no `verify`.
inline int64_t bruteForceGraph(const PartitionProblem &problem) {
  Partition answer{std::vector<int64_t>(problem.parts.size()), 0, false};
  Edges orders = problem.orders();
  std::vector<int64_t> work(problem.stages);
  int64_t best = -1;
  auto visit = [&](auto &self, size_t part) -> void {
    if (part == answer.stageOf.size()) {
      std::vector<bool> filled(problem.stages);
      for (int64_t stage : answer.stageOf)
        filled[stage] = true;
      int64_t slowest = std::find(filled.begin(), filled.end(), false) == filled.end() ? 0 : -1;
      for (const auto &load : problem.sumByRank(problem.loadsOf(answer.stageOf)))
        slowest =
            slowest < 0 || (problem.limitBytes && load.bytes() > problem.limitBytes) ? -1 : std::max(slowest, load.ns);
      best = slowest >= 0 && (best < 0 || slowest < best) ? slowest : best;
      return;
    }
    int64_t first = 0; // edges go to higher numbers
    for (auto [before, after] : orders)
      if (after == int64_t(part))
        first = std::max(first, answer.stageOf[before]);
    for (int64_t stage = first; stage < problem.stages; ++stage) {
      answer.stageOf[part] = stage;
      work[stage] += problem.parts[part].ns;
      if (best < 0 || problem.timeOn(problem.rankOf(stage), work[stage]) < best) // a rank takes no less than a stage
        self(self, part + 1);
      work[stage] -= problem.parts[part].ns;
    }
  };
  visit(visit, 0);
  return best;
}

} // namespace plc::planner

#endif

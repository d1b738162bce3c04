//===- cuts.cpp - cuts beside all cuts, and on large graphs ---------------===//
//
//   c++ -O2 -std=c++20 -Iinclude bench/cuts.cpp lib/Planner/{Partition,Ideals,CutAlong,PartEnds,Moves,Cuts,Order}.cpp -o cuts
//   ./cuts brute 10000    random graphs of at most 12 parts, 2 to 6 stages, half of them with a limit of memory
//   ./cuts large          graphs of 10,000 parts and chains of 2,000: seconds and gap
//
//===----------------------------------------------------------------------===//
#include "plc/Planner/Partition.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

using namespace plc::planner;

namespace {

std::mt19937 engine(1);
int64_t upTo(int64_t most) { return int64_t(engine() % (most + 1)); }

PartitionProblem make(int64_t parts, int64_t stages) {
  PartitionProblem problem;
  problem.stages = stages;
  problem.inFlight.assign(stages, 1);
  for (int64_t part = 0; part < parts; ++part)
    problem.parts.push_back({"p" + std::to_string(part), 1000 + upTo(1000), 100, 0});
  return problem;
}

PartitionProblem makeSmall() {
  int64_t parts = 2 + upTo(10), stages = std::min(parts, 2 + upTo(4));
  PartitionProblem problem = make(parts, stages);
  for (auto &part : problem.parts)
    part = {"p", upTo(50), upTo(100), upTo(100)};
  for (int64_t &flying : problem.inFlight)
    flying = 1 + upTo(3);
  for (int64_t part = 0; part + 1 < parts; ++part) {
    std::vector<int64_t> readers;
    for (int64_t other = part + 1; other < parts; ++other)
      if (upTo(parts) < 3)
        readers.push_back(other);
    problem.tensors.push_back({part, readers, upTo(9), upTo(100)});
  }
  problem.limitBytes = upTo(1) ? 300 + upTo(2000) : 0;
  return problem;
}

// Stages of the parts one after the other, as long as it can become better than the best that is known.
int64_t bruteForce(const PartitionProblem &problem) {
  Partition answer{std::vector<int64_t>(problem.parts.size()), 0, false};
  std::vector<std::vector<int64_t>> before(problem.parts.size());
  for (auto [a, b] : problem.orders())
    before[b].push_back(a);
  std::vector<int64_t> work(problem.stages);
  int64_t best = INT64_MAX;
  auto visit = [&](auto &self, size_t part) -> void {
    if (part == answer.stageOf.size()) {
      answer.slowestNs = 0;
      for (const auto &load : problem.sumByRank(problem.loadsOf(answer.stageOf)))
        answer.slowestNs = std::max(answer.slowestNs, load.ns);
      if (answer.slowestNs < best && !problem.verify(answer))
        best = answer.slowestNs;
      return;
    }
    int64_t first = 0;
    for (int64_t other : before[part])
      first = std::max(first, answer.stageOf[other]);
    for (int64_t stage = first; stage < problem.stages; ++stage) {
      answer.stageOf[part] = stage;
      work[stage] += problem.parts[part].ns;
      if (work[stage] < best)
        self(self, part + 1);
      work[stage] -= problem.parts[part].ns;
    }
  };
  visit(visit, 0);
  return best;
}

int compareWithBruteForce(int64_t rounds) {
  int64_t wrong = 0, infeasible = 0, exact = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    PartitionProblem problem = makeSmall();
    Partition answer;
    Fault fault = solvePartition(problem, answer);
    int64_t best = bruteForce(problem);
    infeasible += best == INT64_MAX;
    exact += !fault && answer.exact;
    if (bool(fault) != (best == INT64_MAX) || (!fault && answer.slowestNs != best) || problem.bound() > best) {
      ++wrong;
      std::printf("round %ld: %ld, brute force %ld: %s\n", long(round), long(answer.slowestNs), long(best),
                  fault ? fault->c_str() : "");
    }
  }
  std::printf("%ld graphs, %ld wrong, %ld infeasible, %ld proven\n", long(rounds), long(wrong), long(infeasible),
              long(exact));
  return wrong != 0;
}

// Blocks one after the other, each of some branches that join again.
PartitionProblem makeBlocks(int64_t parts, int64_t stages) {
  PartitionProblem problem = make(parts, stages);
  for (int64_t part = 1; part < parts; part += 10) // part - 1 opens, nine parts in three branches, the next opens again
    for (int64_t i = 0; i < 9 && part + i < parts; ++i) {
      problem.tensors.push_back({i < 3 ? part - 1 : part + i - 3, {part + i}, 150, 10});
      if (i >= 6 && part + 9 < parts)
        problem.tensors.push_back({part + i, {part + 9}, 150, 10});
    }
  return problem;
}

PartitionProblem makeLayers(int64_t parts, int64_t stages) {
  PartitionProblem problem = make(parts, stages);
  for (int64_t part = 32; part < parts; ++part) {
    int64_t layer = part / 32 * 32;
    problem.tensors.push_back({layer - 32 + part % 32, {part}, 75, 10});
    problem.tensors.push_back({layer - 32 + upTo(31), {part}, 75, 10});
  }
  return problem;
}

// A chain, and from each part of the first half to its mirror in the second.
PartitionProblem makeUNet(int64_t parts, int64_t stages) {
  PartitionProblem problem = make(parts, stages);
  for (int64_t part = 1; part < parts; ++part)
    problem.tensors.push_back({part - 1, {part}, 150, 10});
  for (int64_t part = 0; part < parts / 2 - 1; part += 100)
    problem.tensors.push_back({part, {parts - 1 - part}, 150, 10});
  return problem;
}

void measure(const char *name, const PartitionProblem &problem) {
  Partition answer;
  std::clock_t start = std::clock();
  Fault fault = solvePartition(problem, answer);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%s, %zu parts, %ld stages: %.2f s, gap %.2f %%%s %s\n", name, problem.parts.size(), long(problem.stages),
              seconds, 100.0 * double(answer.slowestNs - problem.bound()) / double(problem.bound()),
              answer.exact ? ", exact" : "", fault ? fault->c_str() : "");
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 3 && argv[1] == std::string("brute"))
    return compareWithBruteForce(std::atol(argv[2]));
  if (argc != 2 || argv[1] != std::string("large")) {
    std::fprintf(stderr, "usage: cuts brute COUNT | cuts large\n");
    return 2;
  }
  for (int64_t stages : {4, 16, 64}) {
    for (auto [name, problem] :
         {std::pair("blocks", makeBlocks(10000, stages)), std::pair("layers", makeLayers(10000, stages)),
          std::pair("u-net", makeUNet(10000, stages))}) {
      problem.limitBytes = 10000 / stages * 110 + 20000;
      measure(name, problem);
    }
    PartitionProblem chain = make(2000, stages);
    chain.isChain = true;
    measure("chain", chain);
  }
  return 0;
}

//===- CutGaps.cpp - cuts beside all cuts, and on large graphs ---------------===//
//
//   CutGaps brute COUNT   random graphs of at most 12 parts, 2 to 6 stages, half of them with a limit of memory; also
//                         without the exact path, as larger graphs are cut
//   CutGaps large         graphs of 10,000 parts and chains of 2,000: seconds and gap
//
//===----------------------------------------------------------------------===//
#include "PartitionOracle.h"

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

// What larger graphs get, beside the least times.
struct Heuristic {
  int64_t equal = 0, none = 0;
  double worst = 0;

  void compare(const PartitionProblem &problem, int64_t best) {
    Partition answer;
    bool fails = solvePartition(problem, answer, /*ideals=*/0).has_value();
    none += fails && best >= 0;
    equal += fails ? best < 0 : answer.slowestNs == best;
    if (!fails && best > 0)
      worst = std::max(worst, double(answer.slowestNs - best) / double(best));
  }
};

int compareWithBruteForce(int64_t rounds) {
  int64_t wrong = 0, infeasible = 0, exact = 0;
  Heuristic alone;
  for (int64_t round = 0; round < rounds; ++round) {
    int64_t parts = 2 + upTo(10);
    PartitionProblem problem = randomGraph(engine, parts, std::min(parts, 2 + upTo(4)));
    problem.limitBytes = upTo(1) ? 300 + upTo(2000) : 0;
    Partition answer;
    Fault fault = solvePartition(problem, answer);
    int64_t best = bruteForceGraph(problem);
    infeasible += best < 0;
    exact += !fault && answer.exact;
    alone.compare(problem, best);
    if (bool(fault) != (best < 0) || (!fault && answer.slowestNs != best) || (best >= 0 && problem.bound() > best)) {
      ++wrong;
      std::printf("round %ld: %ld, brute force %ld: %s\n", long(round), long(answer.slowestNs), long(best),
                  fault ? fault->c_str() : "");
    }
  }
  std::printf("%ld graphs, %ld wrong, %ld infeasible, %ld proven; heuristic alone equal on %ld (%.2f %%), without an "
              "answer on %ld, worst gap %.2f %%\n",
              long(rounds), long(wrong), long(infeasible), long(exact), long(alone.equal),
              100.0 * double(alone.equal) / double(rounds), long(alone.none), 100 * alone.worst);
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
    std::fprintf(stderr, "usage: CutGaps brute COUNT | CutGaps large\n");
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

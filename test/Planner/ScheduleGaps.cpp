//===- ScheduleGaps.cpp - how far from the bound auto ends ----------------===//
//
// ScheduleGaps brute COUNT             small problems against all orders
// ScheduleGaps uniform P M COUNT       P stages, M micro-batches, costs +-30 %, each rank holds P micro-batches
// ScheduleGaps random P M COUNT        the same with P/2 to 2P
//
// ScheduleGaps proofs P M COUNT        how often a longer search finds nothing better, COUNT times for each kind of memory
//
// One line each; `bench/schedules.py` runs all and prints a table.
#include "ScheduleOracle.h"
#include "Search.h"

#include "plc/Planner/Schedules.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace plc::planner;

namespace {

const ScheduleFamily &automatic = plc::rowOf(ScheduleKind::automatic);

struct Solved {
  int64_t makespan = -1;
  double seconds = 0;
};

Solved solveAuto(const ScheduleProblem &problem) {
  std::clock_t begin = std::clock(); // of the processor: other work on the machine does not count
  Schedule schedule;
  Simulation simulation;
  if (Fault fault = solve(automatic, problem, schedule)) {
    std::printf("%s\n", fault->c_str());
    return {};
  }
  double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  simulate(problem, schedule, simulation);
  return {simulation.makespan, seconds};
}

int brute(int64_t count) {
  std::mt19937_64 random(3);
  int64_t equal = 0, above = 0, tight = 0;
  for (int64_t round = 0; round < count; ++round) {
    int64_t chunks = round % 5 == 4 ? 2 : 1, ranks = chunks == 2 ? 2 : 2 + round % 2;
    ScheduleProblem problem = randomProblem(random, ranks, chunks == 2 ? 2 : 2 + round / 2 % 3, chunks);
    int64_t optimum = ScheduleOracle(problem).optimum(), bound = problem.bound();
    int64_t found = solveAuto(problem).makespan;
    equal += found == optimum;
    above += bound > optimum;
    tight += bound == optimum;
    if (found != optimum || bound > optimum)
      std::printf("instance %ld: found %ld, optimum %ld, bound %ld\n", long(round), long(found), long(optimum),
                  long(bound));
  }
  std::printf("%ld of %ld equal to the optimum; bound equal to it %ld times, above it %ld times\n", long(equal),
              long(count), long(tight), long(above));
  return equal == count && !above ? 0 : 1;
}

ScheduleProblem pipeline(std::mt19937_64 &random, int64_t stages, int64_t microBatches, bool uniform) {
  ScheduleProblem problem = unequalPipeline(random, stages, microBatches);
  for (int64_t s = 0; s < stages; ++s)
    problem.capBytes.push_back(uniform ? 2 * stages : stages + random() % (3 * stages + 1));
  return problem;
}

// By the bound, or by the branch and bound that `auto` ends with, with more nodes than it takes itself.
int proofs(int64_t stages, int64_t microBatches, int64_t count) {
  int64_t byBound = 0, bySearch = 0, better = 0;
  for (bool uniform : {true, false}) {
    std::mt19937_64 random(7);
    for (int64_t round = 0; round < count; ++round) {
      ScheduleProblem problem = pipeline(random, stages, microBatches, uniform);
      Schedule schedule;
      Simulation simulation;
      if (solve(automatic, problem, schedule) || simulate(problem, schedule, simulation))
        return 1;
      Jobs jobs(problem);
      ForcedOrder forced(jobs);
      TimedOrders best{ordersOf(jobs, schedule), simulation.makespan};
      bool isBound = best.makespan <= boundOf(jobs, forced);
      byBound += isBound;
      bySearch += !isBound && solveExactly(jobs, forced, 1'000'000, best);
      better += best.makespan < simulation.makespan;
    }
  }
  std::printf("proofs %ld %ld: of %ld optimal %ld by the bound, %ld by search; %ld were not\n", long(stages),
              long(microBatches), long(2 * count), long(byBound), long(bySearch), long(better));
  return better ? 1 : 0;
}

int gaps(bool uniform, int64_t stages, int64_t microBatches, int64_t count) {
  std::mt19937_64 random(7);
  std::vector<double> percent;
  double slowest = 0;
  for (int64_t round = 0; round < count; ++round) {
    ScheduleProblem problem = pipeline(random, stages, microBatches, uniform);
    Solved solved = solveAuto(problem);
    if (solved.makespan < 0)
      return 1;
    percent.push_back(100 * (double(solved.makespan) / double(problem.bound()) - 1));
    slowest = std::max(slowest, solved.seconds);
  }
  std::sort(percent.begin(), percent.end());
  std::printf("%s %ld %ld: gap median %.2f p95 %.2f max %.2f %%, slowest %.2f s\n", uniform ? "uniform" : "random",
              long(stages), long(microBatches), percent[percent.size() / 2], percent[percent.size() * 95 / 100],
              percent.back(), slowest);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "brute" && argc == 3)
    return brute(std::atol(argv[2]));
  if ((mode == "uniform" || mode == "random") && argc == 5 && std::atol(argv[4]) > 0)
    return gaps(mode == "uniform", std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4]));
  if (mode == "proofs" && argc == 5)
    return proofs(std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4]));
  std::fprintf(stderr, "usage: ScheduleGaps brute COUNT | uniform P M COUNT | random P M COUNT | proofs P M COUNT\n");
  return 2;
}

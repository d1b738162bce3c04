//===- SimulateLarge.cpp - how long large simulations take ------------------===//
//
// SimulateLarge RANKS MICRO_BATCHES: plays 1F1B with equal stages, F = 1 ms, B = 2 ms, a MiB between neighbours at 10
// GB/s, and prints the step, the actions and the seconds that it took.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace plc;

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s RANKS MICRO_BATCHES\n", argv[0]);
    return 2;
  }
  int64_t ranks = std::atoll(argv[1]), microBatches = std::atoll(argv[2]);
  auto problem = simulator::pipeline(ranks, microBatches, 1'000'000, 2'000'000);
  planner::Schedule schedule;
  if (planner::Status fault = plc::rowOf(planner::ScheduleKind::oneFOneB).order(problem, schedule)) {
    std::fprintf(stderr, "%s\n", fault->c_str());
    return 1;
  }
  simulator::Play play = simulator::playOf(problem, schedule, 1 << 20);
  size_t actions = 0;
  for (const auto &rank : play.ranks)
    actions += rank.actions.size();
  simulator::Cluster cluster;
  for (int64_t rank = 0; rank < ranks; ++rank)
    cluster.machines.push_back({std::to_string(rank)});
  cluster.between = {20'000, 0.1};
  auto begin = std::chrono::steady_clock::now();
  simulator::Simulation simulation;
  if (auto wrong = simulator::simulate(play, cluster, simulation)) {
    std::fprintf(stderr, "%s\n", wrong->c_str());
    return 1;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%lld ranks, %lld micro-batches, %zu actions: step %.3f s, bubble %.1f %%, simulated in %.2f s\n",
              static_cast<long long>(ranks), static_cast<long long>(microBatches), actions,
              static_cast<double>(simulation.stepNs) / 1e9, simulation.bubble * 100, seconds);
}

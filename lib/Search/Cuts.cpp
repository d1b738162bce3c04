//===- Cuts.cpp - stages of equal time --------------------------------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>

using namespace plc::search;

namespace {

double eighth(double x) {
  x *= x;
  x *= x;
  return x * x;
}

/// Borders of stages over the units' times, summed up.
std::vector<size_t> bordersOf(const std::vector<double> &until, const std::vector<double> &weight, double mean) {
  size_t units = until.size() - 1, stages = weight.size();
  constexpr double infinity = 1e300;
  std::vector<std::vector<double>> least(stages + 1, std::vector<double>(units + 1, infinity));
  std::vector<std::vector<uint32_t>> from(stages + 1, std::vector<uint32_t>(units + 1, 0));
  least[0][0] = 0;
  for (size_t stage = 0; stage < stages; ++stage)
    for (size_t end = stage + 1; end + (stages - 1 - stage) <= units; ++end)
      for (size_t begin = end; begin-- > stage;) {
        double mine = eighth((until[end] - until[begin]) * weight[stage] / mean);
        if (mine >= least[stage + 1][end])
          break; // longer stages only cost more
        if (double cost = least[stage][begin] + mine; cost < least[stage + 1][end]) {
          least[stage + 1][end] = cost;
          from[stage + 1][end] = uint32_t(begin);
        }
      }
  std::vector<size_t> borders(stages + 1, units);
  for (size_t stage = stages; stage > 0; --stage)
    borders[stage - 1] = from[stage][borders[stage]];
  return borders;
}

} // namespace

// The sum of the eighth powers of the stages' times is least, where a rank of several stages weighs them by their sum. Exact for
// one stage on each rank, by dynamic programming over borders; weights are found by repetition. O(stages units^2).
std::vector<int32_t> plc::search::cutUnits(const Workload &workload, const Machine &machine,
                                           const std::vector<int32_t> &rankOf, int64_t replicas) {
  size_t units = workload.units.size(), stages = rankOf.size();
  int64_t runs = workload.microBatches / replicas;
  std::vector<double> ns(units, 0.0), until(units + 1, 0.0);
  for (size_t unit = 0; unit < units; ++unit)
    ns[unit] = double(workload.unitNs[unit][0] + workload.unitNs[unit][1] + workload.unitNs[unit][2]);
  for (const Parameter &each : workload.parameters)
    if (!each.readers.empty() && !each.sites.empty()) // its update is of the step
      ns[size_t(each.readers.front())] +=
          machine.updateNs(double(workload.updatedBytes(each))) / double(replicas) / double(runs);
  for (size_t unit = 0; unit < units; ++unit)
    until[unit + 1] = until[unit] + ns[unit];
  auto ranks = size_t(*std::max_element(rankOf.begin(), rankOf.end()) + 1);
  std::vector<double> weight;
  for (int32_t rank : rankOf)
    weight.push_back(double(std::count(rankOf.begin(), rankOf.end(), rank)));
  std::vector<int32_t> answer;
  double slowest = 1e300;
  // Measured on GPTs of 4 to 48 layers: no answer of a later round is better by more than 0.1 %.
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    std::vector<size_t> borders = bordersOf(until, weight, std::max(1.0, until[units] / double(ranks)));
    std::vector<double> load(ranks, 0.0);
    std::vector<int32_t> stageOf(units);
    for (size_t stage = 0; stage < stages; ++stage) {
      load[size_t(rankOf[stage])] += until[borders[stage + 1]] - until[borders[stage]];
      std::fill(stageOf.begin() + long(borders[stage]), stageOf.begin() + long(borders[stage + 1]), int32_t(stage));
    }
    double most = *std::max_element(load.begin(), load.end());
    if (most < slowest * 0.9999) {
      slowest = most;
      answer = stageOf;
    } else if (round) {
      break;
    }
    for (size_t stage = 0; stage < stages; ++stage)
      weight[stage] = std::sqrt(weight[stage] * load[size_t(rankOf[stage])] /
                                std::max(1.0, until[borders[stage + 1]] - until[borders[stage]]));
  }
  return answer;
}

//===- Cuts.cpp - cuts into stages of equal time --------------------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace plc::search;

namespace {

// Larger than any cost, and still finite in sums.
constexpr double infinity = 1e300;

// A sum of eighth powers approximates the maximum, and still prefers even stages among equal maxima. The power is not
// tuned.
double eighth(double x) {
  x *= x;
  x *= x;
  return x * x;
}

/// Cuts units into consecutive stages with the least sum of eighth powers of weighted times. `until` has prefix sums of
/// the units' times. Exact, by dynamic programming: least[s][e] is the cost of the first e units in s stages. O(stages
/// units^2) at most; the inner loop usually stops early.
std::vector<size_t> bordersOf(const std::vector<double> &until, const std::vector<double> &weight, double mean) {
  size_t units = until.size() - 1, stages = weight.size();
  std::vector<std::vector<double>> least(stages + 1, std::vector<double>(units + 1, infinity));
  std::vector<std::vector<uint32_t>> from(stages + 1, std::vector<uint32_t>(units + 1, 0));
  least[0][0] = 0;
  for (size_t stage = 0; stage < stages; ++stage)
    // Each stage before and behind needs a unit.
    for (size_t end = stage + 1; end + (stages - 1 - stage) <= units; ++end)
      // From the shortest stage to longer ones, so that the break below is right.
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
  // Backwards through the recorded borders.
  for (size_t stage = stages; stage > 0; --stage)
    borders[stage - 1] = from[stage][borders[stage]];
  return borders;
}

/// Local search for rank maps with several stages on a rank: moves one or two borders by a unit while the cost of the
/// ranks' sums falls.
void moveBorders(const std::vector<double> &until, const std::vector<int32_t> &rankOf, size_t ranks, double mean,
                 std::vector<size_t> &borders) {
  size_t stages = rankOf.size();
  auto costOf = [&](const std::vector<size_t> &at) {
    std::vector<double> load(ranks, 0.0);
    for (size_t stage = 0; stage < stages; ++stage) {
      // A stage without units is no cut.
      if (at[stage] >= at[stage + 1])
        return infinity;
      load[size_t(rankOf[stage])] += until[at[stage + 1]] - until[at[stage]];
    }
    return std::accumulate(load.begin(), load.end(), 0.0,
                           [&](double sum, double ns) { return sum + eighth(ns / mean); });
  };
  constexpr size_t mostForPairs = 32; // pairs of borders of more stages take too long: 65,000 additions in a pass here
  double now = costOf(borders);
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t first = 1; first < stages; ++first)
      for (size_t second = first; second < (stages <= mostForPairs ? stages : first + 1); ++second)
        // Both directions of one border, or all four of a pair.
        for (int up = 0; up < (second == first ? 2 : 4); ++up) {
          std::vector<size_t> other = borders;
          other[first] += up & 1 ? 1 : size_t(-1);
          if (second != first)
            other[second] += up & 2 ? 1 : size_t(-1);
          // The factor keeps rounding errors from moving borders for ever.
          if (double cost = costOf(other); cost < now * (1 - 1e-9)) {
            now = cost;
            borders = std::move(other);
            moved = true;
          }
        }
  }
}

} // namespace

// Minimizes the eighth powers of the ranks' times. With one stage on each rank the dynamic program is exact. With
// several stages on a rank it cuts with weights, the weights are adapted in rounds, and borders are moved. O(stages
// units^2) per round.
std::vector<int32_t> plc::search::cutUnits(const Workload &workload, const Machine &machine,
                                           const std::vector<int32_t> &rankOf, int64_t replicas) {
  size_t units = workload.units.size(), stages = rankOf.size();
  int64_t runs = workload.microBatches / replicas;
  std::vector<double> ns(units, 0.0), until(units + 1, 0.0);
  for (size_t unit = 0; unit < units; ++unit)
    ns[unit] = double(workload.unitNs[unit][0] + workload.unitNs[unit][1] + workload.unitNs[unit][2]);
  for (const Parameter &each : workload.parameters)
    // Its update, which runs once per step, divided among micro-batches.
    if (!each.readers.empty() && !each.sites.empty())
      ns[size_t(each.readers.front())] +=
          machine.updateNs(double(workload.updatedBytes(each))) / double(replicas) / double(runs);
  for (size_t unit = 0; unit < units; ++unit)
    until[unit + 1] = until[unit] + ns[unit];
  auto ranks = size_t(*std::max_element(rankOf.begin(), rankOf.end()) + 1);
  std::vector<double> weight;
  for (int32_t rank : rankOf)
    // First guess: a rank with n stages gives each of them an n-th of its time.
    weight.push_back(double(std::count(rankOf.begin(), rankOf.end(), rank)));
  std::vector<int32_t> answer;
  double slowest = infinity, mean = std::max(1.0, until[units] / double(ranks));
  // Measured on GPTs of 4 to 48 layers: no later round is better by more than 0.1 %.
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    std::vector<size_t> borders = bordersOf(until, weight, mean);
    // With one stage on each rank the dynamic program has the optimum already.
    if (stages > ranks)
      moveBorders(until, rankOf, ranks, mean, borders);
    std::vector<double> load(ranks, 0.0);
    std::vector<int32_t> stageOf(units);
    for (size_t stage = 0; stage < stages; ++stage) {
      load[size_t(rankOf[stage])] += until[borders[stage + 1]] - until[borders[stage]];
      std::fill(stageOf.begin() + long(borders[stage]), stageOf.begin() + long(borders[stage + 1]), int32_t(stage));
    }
    double most = *std::max_element(load.begin(), load.end());
    // Keep a round only if it gains; otherwise the weights have converged.
    if (most < slowest * 0.9999) {
      slowest = most;
      answer = stageOf;
    } else if (round) {
      break;
    }
    // A stage that takes little of its rank's load gets a higher weight next time. The root damps the change.
    for (size_t stage = 0; stage < stages; ++stage)
      weight[stage] = std::sqrt(weight[stage] * load[size_t(rankOf[stage])] /
                                std::max(1.0, until[borders[stage + 1]] - until[borders[stage]]));
  }
  return answer;
}

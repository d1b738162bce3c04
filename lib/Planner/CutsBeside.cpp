//===- CutsBeside.cpp - cuts where others did not fit ---------------------===//
#include "plc/Planner/CutsBeside.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace plc::planner;

// The parts of each stage in turn, so that a border can move along them: whatever must not be in a later stage stands before.
static std::vector<int64_t> alongStages(const std::vector<int64_t> &stageOf) {
  std::vector<int64_t> order(stageOf.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stageOf[a] < stageOf[b]; });
  return order;
}

std::optional<Partition> plc::planner::cutBeside(const PartitionProblem &problem,
                                                 const std::vector<std::vector<int64_t>> &refused, int64_t mostBytes) {
  PartitionProblem anyBytes = problem; // `verify` asks for a cut alone
  anyBytes.limitBytes = 0;
  std::optional<Partition> best;
  std::tuple<int64_t, int64_t, std::vector<int64_t>> least{mostBytes + 1, 0, {}};
  auto consider = [&](Partition cut) {
    if (std::find(refused.begin(), refused.end(), cut.stageOf) != refused.end())
      return;
    for (const PartitionProblem::Load &load : anyBytes.sumByRank(anyBytes.loadsOf(cut.stageOf)))
      cut.slowestNs = std::max(cut.slowestNs, load.ns);
    if (anyBytes.verify(cut))
      return;
    int64_t bytes = 0;
    for (const PartitionProblem::Load &load : problem.sumByRank(problem.loadsOf(cut.stageOf)))
      bytes = std::max(bytes, load.bytes());
    if (std::tuple key{bytes, cut.slowestNs, cut.stageOf}; key < least) {
      least = std::move(key);
      best = std::move(cut);
    }
  };
  int64_t reach = pairsReach(problem.stages);
  for (const std::vector<int64_t> &stageOf : refused) {
    std::vector<int64_t> order = alongStages(stageOf), counts(problem.stages);
    for (int64_t stage : stageOf)
      ++counts[stage];
    for (int64_t from = 0; from < problem.stages; ++from)
      for (int64_t to = std::max<int64_t>(from - reach + 1, 0); to < std::min(from + reach, problem.stages); ++to) {
        if (to == from || counts[from] == 1)
          continue;
        std::vector<int64_t> moved = counts;
        --moved[from];
        ++moved[to];
        Partition cut{std::vector<int64_t>(stageOf.size()), 0, false};
        auto part = order.begin();
        for (int64_t stage = 0; stage < problem.stages; ++stage)
          for (int64_t left = moved[stage]; left > 0; --left)
            cut.stageOf[*part++] = stage;
        consider(std::move(cut));
      }
  }
  return best;
}

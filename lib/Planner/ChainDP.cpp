//===- ChainDP.cpp - the best cut of a chain, exactly ---------------------===//
#include "plc/Planner/Partition.h"

#include <algorithm>
#include <limits>

using namespace plc::planner;

namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

// T[s][j]: the least worst cost of stages 0..s over parts [0, j); cut[s][j]: where stage s starts then.
//
//          j = 1     2     3     4     5          cost(0, 0, j) in the first row; row s takes, for each j, the best
//   s = 0    c01   c02   c03   ...                i < j of max(T[s-1][i], cost(s, i, j)).
//   s = 1      .     *     *   ...
template <typename Cost>
bool cutChain(int64_t stages, int64_t parts, Cost cost, std::vector<int64_t> &counts) {
  std::vector<std::vector<int64_t>> best(stages, std::vector<int64_t>(parts + 1, never));
  std::vector<std::vector<int64_t>> cut(stages, std::vector<int64_t>(parts + 1, 0));
  for (int64_t j = 1; j <= parts; ++j)
    best[0][j] = cost(0, 0, j);
  for (int64_t s = 1; s < stages; ++s)
    for (int64_t j = s + 1; j <= parts; ++j)
      for (int64_t i = s; i < j; ++i) {
        if (best[s - 1][i] == never)
          continue;
        int64_t worst = std::max(best[s - 1][i], cost(s, i, j));
        if (worst < best[s][j]) {
          best[s][j] = worst;
          cut[s][j] = i;
        }
      }
  counts.assign(stages, 0);
  for (int64_t s = stages - 1, j = parts; s >= 0; --s) {
    counts[s] = j - cut[s][j];
    j = cut[s][j];
  }
  return best[stages - 1][parts] != never;
}

} // namespace

Fault plc::planner::solveByChainDP(const PartitionProblem &problem, Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  int64_t parts = problem.parts.size();
  std::vector<std::vector<int64_t>> time(parts, std::vector<int64_t>(parts + 1, 0));
  for (int64_t i = 0; i < parts; ++i)
    for (int64_t j = i + 1; j <= parts; ++j)
      time[i][j] = problem.timeOf(i, j);
  auto timeIfFits = [&](int64_t stage, int64_t i, int64_t j) {
    if (problem.limitBytes && problem.bytesOf(i, j, problem.inFlight[stage]) > problem.limitBytes)
      return never;
    return time[i][j];
  };
  std::vector<int64_t> counts;
  if (!cutChain(problem.stages, parts, timeIfFits, counts))
    // Nothing fits: tell of the cut whose worst memory is least, so that the stage named is the binding one.
    cutChain(problem.stages, parts,
             [&](int64_t stage, int64_t i, int64_t j) { return problem.bytesOf(i, j, problem.inFlight[stage]); },
             counts);
  return fixPartition(problem, counts, answer);
}

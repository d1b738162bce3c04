//===- ChainDP.cpp - the best cut of a chain ------------------------------===//
#include "plc/Planner/Partition.h"

#include <algorithm>
#include <functional>

using namespace plc::planner;

namespace {

using Load = PartitionProblem::Load;
constexpr size_t mostStates = 128;

// Cuts of the parts [0, j) in stages 0..s: what is still to be known of them.
struct State {
  int64_t worst = 0;       // ns of the slowest rank so far
  std::vector<Load> loads; // of each rank with stages to come; zero for the others
  int64_t cut = 0;         // where stage s starts
  size_t before = 0;       // the state of (s-1, cut) that this one continues

  bool dominates(const State &other) const {
    if (worst > other.worst)
      return false;
    for (size_t rank = 0; rank < loads.size(); ++rank)
      if (const Load &a = loads[rank], &b = other.loads[rank];
          a.ns > b.ns || a.heldBytes > b.heldBytes || a.scratchBytes > b.scratchBytes)
        return false;
    return true;
  }
};

// The states of one (s, j) that no other dominates; of equals the first.
void insert(std::vector<State> &front, State state) {
  for (const State &other : front)
    if (other.dominates(state))
      return;
  std::erase_if(front, [&](const State &other) { return state.dominates(other); });
  auto worse = [](const State &a, const State &b) { return a.worst < b.worst; };
  front.insert(std::upper_bound(front.begin(), front.end(), state, worse), std::move(state));
  if (front.size() > mostStates)
    front.pop_back();
}

// front[s][j]: how stages 0..s may cover the parts [0, j). Row s continues, for each j, the states of each i < j.
//
//          j = 1     2     3     4     5
//   s = 0    [01)  [02)  [03)  ...
//   s = 1      .     *     *   ...
class ChainCut {
public:
  ChainCut(const PartitionProblem &problem, std::function<Load(int64_t stage, int64_t begin, int64_t end)> loadOf,
           int64_t limitBytes)
      : problem(problem), loadOf(std::move(loadOf)), limitBytes(limitBytes) {}

  bool run(std::vector<int64_t> &counts) {
    int64_t stages = problem.stages, parts = problem.parts.size();
    front.assign(stages, std::vector<std::vector<State>>(parts + 1));
    std::vector<State> start(1); // no part is covered
    start[0].loads.resize(problem.numRanks());
    for (int64_t s = 0; s < stages; ++s)
      for (int64_t j = s + 1; j <= parts; ++j)
        for (int64_t i = s; i < (s ? j : 1); ++i)
          extend(s, i, j, s ? front[s - 1][i] : start);
    if (front[stages - 1][parts].empty())
      return false;
    counts.assign(stages, 0);
    for (int64_t s = stages - 1, j = parts, state = 0; s >= 0; --s) {
      const State &taken = front[s][j][state];
      counts[s] = j - taken.cut;
      j = taken.cut;
      state = taken.before;
    }
    return true;
  }

private:
  // Whether a stage after s lies on the rank.
  bool isOpen(int64_t rank, int64_t s) const {
    for (int64_t later = s + 1; later < problem.stages; ++later)
      if (problem.rankOf(later) == rank)
        return true;
    return false;
  }

  void extend(int64_t s, int64_t i, int64_t j, const std::vector<State> &before) {
    if (before.empty())
      return;
    int64_t rank = problem.rankOf(s);
    Load load = loadOf(s, i, j);
    bool open = isOpen(rank, s);
    for (size_t index = 0; index < before.size(); ++index) {
      State state = before[index];
      Load total = state.loads[rank] + load;
      if (limitBytes && total.bytes() > limitBytes)
        continue;
      state.worst = std::max(state.worst, total.ns);
      state.loads[rank] = open ? total : Load();
      state.cut = i;
      state.before = index;
      insert(front[s][j], std::move(state));
    }
  }

  const PartitionProblem &problem;
  std::function<Load(int64_t, int64_t, int64_t)> loadOf;
  int64_t limitBytes;
  std::vector<std::vector<std::vector<State>>> front;
};

} // namespace

Fault plc::planner::solveByChainDP(const PartitionProblem &problem, Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  int64_t parts = problem.parts.size();
  std::vector<std::vector<int64_t>> time(parts, std::vector<int64_t>(parts + 1, 0));
  for (int64_t i = 0; i < parts; ++i)
    for (int64_t j = i + 1; j <= parts; ++j)
      time[i][j] = problem.timeOf(i, j);
  auto load = [&](int64_t stage, int64_t i, int64_t j) {
    return problem.limitBytes ? problem.loadOf(stage, i, j) : Load{time[i][j], 0, 0};
  };
  // If nothing fits: the cut whose worst memory is least, so that the rank named is the binding one.
  auto memory = [&](int64_t stage, int64_t i, int64_t j) { return Load{problem.loadOf(stage, i, j).bytes(), 0, 0}; };
  std::vector<int64_t> counts;
  if (!ChainCut(problem, load, problem.limitBytes).run(counts))
    ChainCut(problem, memory, 0).run(counts);
  return fixPartition(problem, counts, answer);
}

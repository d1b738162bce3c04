//===- Moves.cpp - improve a cut by moving parts between stages -----------===//
#include "PartEnds.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// A cut that changes by one part at a time, with the time of each stage.
class Mover {
public:
  Mover(const PartitionProblem &problem, std::vector<int64_t> &stageOf)
      : problem(problem), stageOf(stageOf), ends(problem), before(problem.parts.size()), after(problem.parts.size()),
        count(problem.stages), work(problem.stages), receive(problem.stages) {
    for (auto [a, b] : problem.orders()) {
      before[b].push_back(a);
      after[a].push_back(b);
    }
    for (size_t part = 0; part < stageOf.size(); ++part) {
      ++count[stageOf[part]];
      work[stageOf[part]] += problem.parts[part].ns;
    }
    for (size_t tensor = 0; tensor < problem.tensors.size(); ++tensor)
      addReceivers(tensor, 1);
  }

  int64_t timeOf(int64_t rank) const {
    int64_t ns = 0;
    for (int64_t stage = 0; stage < problem.stages; ++stage)
      if (problem.rankOf(stage) == rank)
        ns += problem.timeOn(rank, work[stage]) + receive[stage];
    return ns;
  }

  // The best move that takes a part off the rank so that no rank concerned is as slow as it was.
  bool relieve(int64_t rank) {
    int64_t slowest = timeOf(rank), best = slowest, bestPart = -1, bestStage = -1;
    for (size_t part = 0; part < stageOf.size(); ++part) {
      int64_t from = stageOf[part];
      if (problem.rankOf(from) != rank || count[from] == 1)
        continue;
      for (int64_t to : {earliest(part), from - 1, from + 1, latest(part)}) {
        if (to == from || to < earliest(part) || to > latest(part) || problem.rankOf(to) == rank)
          continue;
        move(part, to);
        int64_t worst = std::max(timeOf(rank), timeOf(problem.rankOf(to)));
        if (worst < best && fits()) {
          best = worst;
          bestPart = part;
          bestStage = to;
        }
        move(part, from);
      }
    }
    if (bestPart < 0)
      return false;
    move(bestPart, bestStage);
    return true;
  }

private:
  int64_t earliest(int64_t part) const {
    int64_t stage = 0;
    for (int64_t other : before[part])
      stage = std::max(stage, stageOf[other]);
    return stage;
  }

  int64_t latest(int64_t part) const {
    int64_t stage = problem.stages - 1;
    for (int64_t other : after[part])
      stage = std::min(stage, stageOf[other]);
    return stage;
  }

  // Memory is looked at in full, but only for moves that would be taken.
  bool fits() const {
    if (!problem.limitBytes)
      return true;
    for (const auto &load : problem.sumByRank(problem.loadsOf(stageOf)))
      if (load.bytes() > problem.limitBytes)
        return false;
    return true;
  }

  void addReceivers(int64_t tensor, int64_t sign) {
    const auto &info = problem.tensors[tensor];
    stages.clear();
    for (int64_t part : info.consumers)
      if (int64_t stage = stageOf[part]; stage != stageOf[info.producer])
        stages.push_back(stage);
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    for (int64_t stage : stages)
      receive[stage] += sign * info.ns;
  }

  void move(int64_t part, int64_t to) {
    auto both = [&](int64_t sign) {
      for (const auto *list : {&ends.produced[part], &ends.consumed[part]})
        for (int64_t tensor : *list)
          if (list == &ends.produced[part] || problem.tensors[tensor].producer != part)
            addReceivers(tensor, sign);
    };
    both(-1);
    int64_t &stage = stageOf[part];
    --count[stage];
    work[stage] -= problem.parts[part].ns;
    stage = to;
    ++count[stage];
    work[stage] += problem.parts[part].ns;
    both(1);
  }

  const PartitionProblem &problem;
  std::vector<int64_t> &stageOf;
  PartEnds ends;
  std::vector<std::vector<int64_t>> before, after;
  std::vector<int64_t> count, work, receive, stages;
};

// Rounds; each looks at the parts of one rank.
constexpr int64_t mostMoves = 2000;

} // namespace

void plc::planner::improveByMoves(const PartitionProblem &problem, Partition &answer) {
  Mover mover(problem, answer.stageOf);
  int64_t ranks = problem.numRanks(), moves = std::min<int64_t>(mostMoves, 20'000'000 / problem.parts.size());
  for (; moves > 0; --moves) {
    int64_t slowest = 0;
    std::vector<int64_t> times;
    for (int64_t rank = 0; rank < ranks; ++rank)
      times.push_back(mover.timeOf(rank));
    slowest = std::max_element(times.begin(), times.end()) - times.begin();
    if (!mover.relieve(slowest))
      break;
  }
  answer.slowestNs = 0;
  for (int64_t rank = 0; rank < ranks; ++rank)
    answer.slowestNs = std::max(answer.slowestNs, mover.timeOf(rank));
}

//===- ScheduleOracle.h - small scheduling problems, and their optima ----===//
#ifndef PLC_TEST_PLANNER_SCHEDULEORACLE_H
#define PLC_TEST_PLANNER_SCHEDULEORACLE_H

#include "plc/Planner/Schedule/Schedule.h"

#include <algorithm>
#include <map>
#include <random>

namespace plc::planner {

/// A chain of stages with random times and sizes of micro-batches, on ranks of one or two stages.
inline ScheduleProblem randomProblem(std::mt19937_64 &random, int64_t ranks, int64_t microBatches, int64_t chunks) {
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  ScheduleProblem problem;
  problem.microBatches = microBatches;
  for (int64_t s = 0; s < ranks * chunks; ++s) {
    bool noB = s == 0 && upTo(3) == 0, noW = !noB && upTo(4) == 0;
    ScheduleProblem::Stage stage{
        s % ranks, {true, !noB, !noW}, {1 + upTo(8), noB ? 0 : 1 + upTo(8), noW ? 0 : 1 + upTo(8)}};
    problem.stages.push_back(stage);
    int64_t way = upTo(3);
    if (s)
      problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F, way});
    if (s && !noB && problem.stages[s - 1].has[1])
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::B, way});
    if (s && !noB && !problem.stages[s - 1].has[1])
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::W, way});
    if (!noB)
      problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
    if (!noB && !noW)
      problem.dependences.push_back({s, TaskKind::B, s, TaskKind::W});
  }
  if (upTo(2) == 0)
    for (int64_t i = 0; i < microBatches; ++i)
      problem.samples.push_back(1 + upTo(2));
  return problem;
}

/// A pipeline of stages whose tasks take 1000 +-30 %.
inline ScheduleProblem unequalPipeline(std::mt19937_64 &random, int64_t stages, int64_t microBatches) {
  ScheduleProblem problem;
  problem.microBatches = microBatches;
  for (int64_t s = 0; s < stages; ++s) {
    problem.stages.push_back({s, {true, true, true}, {}});
    for (int64_t &ns : problem.stages.back().ns)
      ns = 700 + random() % 601;
    if (s) {
      problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F, 20});
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::B, 20});
    }
    problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
    problem.dependences.push_back({s, TaskKind::B, s, TaskKind::W});
  }
  return problem;
}

/// The least makespan, by appending every job to every partial schedule; of those of equal jobs the ones remain that no
/// other is earlier than everywhere.
class ScheduleOracle {
public:
  explicit ScheduleOracle(const ScheduleProblem &problem) : problem(problem) {}

  int64_t optimum() {
    Counts none(problem.stages.size() * 3, 0);
    std::map<Counts, std::vector<Times>> layer{{none,
                                                {{std::vector<int64_t>(problem.numRanks(), 0),
                                                  std::vector<int64_t>(none.size() * problem.microBatches, -1)}}}};
    int64_t jobs = 0, best = -1;
    for (const auto &stage : problem.stages)
      jobs += std::count(stage.has.begin(), stage.has.end(), true) * problem.microBatches;
    for (int64_t step = 0; step < jobs; ++step) {
      std::map<Counts, std::vector<Times>> next;
      for (auto &[counts, all] : layer)
        for (size_t chain = 0; chain < counts.size(); ++chain)
          if (canRun(counts, chain))
            for (const Times &times : all)
              append(counts, chain, times, next);
      layer = std::move(next);
    }
    for (auto &[counts, all] : layer)
      for (const Times &times : all) {
        int64_t end = *std::max_element(times.clocks.begin(), times.clocks.end());
        best = best < 0 ? end : std::min(best, end);
      }
    return best;
  }

private:
  using Counts = std::vector<int64_t>;
  struct Times {
    std::vector<int64_t> clocks, ends;
  };

  bool canRun(const Counts &counts, int64_t chain) const {
    return problem.stages[chain / 3].has[chain % 3] && counts[chain] != problem.microBatches;
  }

  void append(const Counts &counts, int64_t chain, Times times, std::map<Counts, std::vector<Times>> &next) const {
    int64_t i = counts[chain], &clock = times.clocks[problem.stages[chain / 3].rank], start = clock;
    for (const auto &each : problem.dependences)
      if (ScheduleProblem::nodeOf(each.destination, each.to) == chain) {
        int64_t end = times.ends[ScheduleProblem::nodeOf(each.source, each.from) * problem.microBatches + i];
        if (end < 0)
          return;
        start = std::max(start, end + problem.scaled(each.ns, i));
      }
    clock = times.ends[chain * problem.microBatches + i] = start + problem.nsOf({chain / 3, TaskKind(chain % 3), i});
    Counts after = counts;
    ++after[chain];
    std::vector<Times> &known = next[after];
    auto noLater = [&](const Times &a, const Times &b) {
      for (size_t rank = 0; rank < a.clocks.size(); ++rank)
        if (a.clocks[rank] > b.clocks[rank])
          return false;
      for (const auto &each : problem.dependences) {
        int64_t from = ScheduleProblem::nodeOf(each.source, each.from),
                to = ScheduleProblem::nodeOf(each.destination, each.to);
        for (int64_t k = after[to]; k < after[from]; ++k)
          if (a.ends[from * problem.microBatches + k] > b.ends[from * problem.microBatches + k])
            return false;
      }
      return true;
    };
    for (const Times &other : known)
      if (noLater(other, times))
        return;
    std::erase_if(known, [&](const Times &other) { return noLater(times, other); });
    known.push_back(std::move(times));
  }

  const ScheduleProblem &problem;
};

} // namespace plc::planner

#endif

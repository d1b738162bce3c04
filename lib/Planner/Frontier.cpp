//===- Frontier.cpp - a schedule as far as it is built --------------------===//
#include "Frontier.h"

#include <algorithm>

using namespace plc::planner;

Frontier::Frontier(const Jobs &jobs)
    : jobs(jobs), done(jobs.into.size()), ends(jobs.count, -1), clocks(jobs.chainsOn.size()), held(clocks),
      stagesOn(clocks.size()), mostExtra(clocks), left(jobs.chains.size() * jobs.microBatches) {
  for (size_t s = 0; s < jobs.problem.stages.size(); ++s) {
    const ScheduleProblem::Stage &stage = jobs.problem.stages[s];
    stagesOn[stage.rank].push_back(s);
    mostExtra[stage.rank] = std::max(mostExtra[stage.rank], stage.heldByB - stage.heldByF);
  }
}

std::optional<int64_t> Frontier::arrival(int64_t chain) const {
  int64_t i = done[chain], latest = 0;
  if (i == jobs.microBatches)
    return std::nullopt;
  for (const Jobs::Edge &edge : jobs.into[chain]) {
    int64_t end = ends[jobs.jobOf(edge.chain, i)];
    if (end < 0)
      return std::nullopt;
    latest = std::max(latest, end + jobs.lagOf(edge, i));
  }
  return latest;
}

std::optional<int64_t> Frontier::earliest(int64_t chain) const {
  std::optional<int64_t> start = arrival(chain);
  return start ? std::optional(std::max(*start, clocks[jobs.rankOf(chain)])) : std::nullopt;
}

int64_t Frontier::inFlight(int64_t stage) const {
  TaskKind last = jobs.problem.stages[stage].last();
  return done[ScheduleProblem::nodeOf(stage, TaskKind::F)] - done[ScheduleProblem::nodeOf(stage, last)];
}

bool Frontier::fits(int64_t chain) const {
  const ScheduleProblem::Stage &stage = jobs.stageOf(chain);
  if (jobs.kindOf(chain) == TaskKind::F && stage.inFlight && inFlight(chain / 3) >= stage.inFlight)
    return false;
  return jobs.problem.capBytes.empty() ||
         held[stage.rank] + jobs.bytes[jobs.jobOf(chain, done[chain])] <= jobs.problem.capBytes[stage.rank];
}

bool Frontier::isSafe(int64_t chain) const {
  if (!fits(chain))
    return false;
  int64_t rank = jobs.rankOf(chain), candidate = done[chain];
  if (jobs.problem.capBytes.empty() || jobs.kindOf(chain) != TaskKind::F)
    return true;
  int64_t free = jobs.problem.capBytes[rank] - held[rank] - jobs.bytes[jobs.jobOf(chain, candidate)];
  int64_t first = jobs.microBatches, newest = candidate;
  for (int64_t s : stagesOn[rank]) {
    first = std::min(first, done[ScheduleProblem::nodeOf(s, jobs.problem.stages[s].last())]);
    newest = std::max(newest, done[ScheduleProblem::nodeOf(s, TaskKind::F)] - 1);
  }
  for (int64_t i = first; i <= newest; ++i) {
    int64_t needs = mostExtra[rank], holds = 0;
    for (int64_t s : stagesOn[rank]) {
      const ScheduleProblem::Stage &stage = jobs.problem.stages[s];
      int64_t f = ScheduleProblem::nodeOf(s, TaskKind::F);
      if (done[f] + (f == chain) <= i)
        needs += jobs.problem.scaled(stage.heldByF, i);
      else if (stage.has[1] && i < done[f + 1])
        holds += i < done[ScheduleProblem::nodeOf(s, stage.last())] ? 0 : jobs.problem.scaled(stage.heldByB, i);
      else if (i >= done[ScheduleProblem::nodeOf(s, stage.last())])
        holds += jobs.problem.scaled(stage.heldByF, i);
    }
    if (needs > free)
      return false;
    free += holds;
  }
  return true;
}

void Frontier::run(int64_t chain, int64_t start) {
  int64_t job = jobs.jobOf(chain, done[chain]++), rank = jobs.rankOf(chain);
  clocks[rank] = ends[job] = start + jobs.ns[job];
  held[rank] += jobs.bytes[job];
  --left;
}

void Frontier::undo(int64_t chain, int64_t clock) {
  int64_t job = jobs.jobOf(chain, --done[chain]), rank = jobs.rankOf(chain);
  ends[job] = -1;
  clocks[rank] = clock;
  held[rank] -= jobs.bytes[job];
  ++left;
}

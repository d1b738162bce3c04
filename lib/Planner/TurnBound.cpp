//===- TurnBound.cpp - what several micro-batches take in any schedule ----===//
#include "ScheduleBound.h"
#include "ScheduleEffort.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

namespace {

// The least time from the start of a stage's F of the first of `microBatches` to the end of its `to` of the last: of the jobs
// that must run between, as a problem of their own. What others do meanwhile only takes longer.
int64_t leastTime(const ScheduleProblem &all, const TurnTime &turn, const std::vector<TurnTime> &shorter) {
  ScheduleProblem problem = all;
  problem.microBatches = turn.microBatches;
  Jobs jobs(problem);
  ForcedOrder forced(jobs, shorter);
  std::vector<bool> behind(jobs.count), before(jobs.count);
  behind[jobs.jobOf(ScheduleProblem::nodeOf(turn.stage, TaskKind::F), 0)] = true;
  before[jobs.jobOf(ScheduleProblem::nodeOf(turn.stage, turn.to), turn.microBatches - 1)] = true;
  for (int64_t job : forced.order)
    for (const ForcedOrder::Edge &edge : forced.into[job])
      behind[job] = behind[job] || behind[edge.job];
  for (auto job = forced.order.rbegin(); job != forced.order.rend(); ++job)
    for (const ForcedOrder::Edge &edge : forced.into[*job])
      before[edge.job] = before[edge.job] || before[*job];
  std::vector<bool> between(jobs.count);
  for (int64_t job = 0; job < jobs.count; ++job) {
    between[job] = behind[job] && before[job];
    jobs.ns[job] = between[job] ? jobs.ns[job] : 0;
  }
  return boundOf(jobs, ForcedOrder(jobs, forced, between));
}

// Micro-batches that memory lets a stage have in flight, about: stages that share a rank share its bytes.
int64_t mostInFlight(const ScheduleProblem &problem, int64_t stage) {
  const ScheduleProblem::Stage &own = problem.stages[stage];
  int64_t most = own.inFlight ? own.inFlight : problem.microBatches, held = 0;
  for (const ScheduleProblem::Stage &other : problem.stages)
    held += other.rank == own.rank ? other.heldByF : 0;
  if (!problem.capBytes.empty() && held)
    most = std::min(most, problem.capBytes[own.rank] / held);
  return std::max<int64_t>(most, 1);
}

// The stage whose micro-batches pass most slowly because so many are in flight at most; -1 if memory hardly holds up ranks
// that have work to do.
int64_t slowestTurn(const ScheduleProblem &problem) {
  std::vector<int64_t> work(problem.numRanks());
  for (const ScheduleProblem::Stage &stage : problem.stages)
    work[stage.rank] += std::accumulate(stage.ns.begin(), stage.ns.end(), int64_t(0));
  int64_t slowest = -1, slowestNs = *std::max_element(work.begin(), work.end()) * 3 / 4;
  for (size_t stage = 0; stage < problem.stages.size(); ++stage) {
    int64_t flying = mostInFlight(problem, stage);
    if (flying >= problem.microBatches || !problem.stages[stage].has[0] || !problem.stages[stage].has[1])
      continue;
    if (int64_t ns = leastTime(problem, {int64_t(stage), TaskKind::B, 1, 0}, {}) / flying; ns > slowestNs) {
      slowestNs = ns;
      slowest = stage;
    }
  }
  return slowest;
}

} // namespace

int64_t plc::planner::boundByTurns(const Jobs &jobs, int64_t bound) {
  const ScheduleProblem &problem = jobs.problem;
  int64_t stage = problem.samples.empty() ? slowestTurn(problem) : -1;
  if (stage < 0)
    return bound;
  std::vector<TurnTime> turns;
  // Fewer micro-batches than there may be in flight wait for none of themselves.
  for (int64_t size = mostInFlight(problem, stage); size < jobs.microBatches; size += 1 + size / 16 * 3)
    for (TaskKind to : {TaskKind::B, TaskKind::W})
      if (problem.stages[stage].has[int(to)]) {
        TurnTime turn{stage, to, size, 0};
        turn.ns = leastTime(problem, turn, turns);
        turns.push_back(turn);
      }
  return std::max(bound, boundOf(jobs, ForcedOrder(jobs, turns)));
}

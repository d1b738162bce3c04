//===- AutoSchedule.cpp - the order of auto -------------------------------===//
#include "ScheduleEffort.h"
#include "Search.h"

#include "plc/Planner/Schedules.h"

#include <algorithm>
#include <array>

using namespace plc::planner;

namespace {

// Least runs first.
std::vector<std::vector<int64_t>> priorities(const Jobs &jobs, const ForcedOrder &forced) {
  std::vector<std::vector<int64_t>> rules;
  auto add = [&](auto rule) {
    std::vector<int64_t> &priority = rules.emplace_back(jobs.count);
    for (int64_t job = 0; job < jobs.count; ++job)
      priority[job] = rule(job);
  };
  // The order of tasks, older micro-batches first: backwards before forwards before W, as 1F1B and its kin; forwards
  // first, as GPipe; W before forwards, which holds little.
  for (std::array<int64_t, 3> place : {std::array<int64_t, 3>{1, 0, 2}, {0, 1, 2}, {2, 0, 1}})
    add([&](int64_t job) {
      return place[int(jobs.kindOf(jobs.chainOf(job)))] * jobs.microBatches + jobs.microBatchOf(job);
    });
  // The most work behind it first; older ones first, each task some micro-batches behind another.
  add([&](int64_t job) { return -(forced.tail[job] + jobs.ns[job]); });
  for (int64_t late : {1, 2, 4, 8})
    add([&](int64_t job) {
      TaskKind kind = jobs.kindOf(jobs.chainOf(job));
      return 3 * (jobs.microBatchOf(job) + (kind == TaskKind::W ? late : 0)) + (kind == TaskKind::F ? 1 : 0);
    });
  return rules;
}

void keepBetter(TimedOrders other, TimedOrders &best) {
  if (!other.orders.empty() && (best.orders.empty() || other.makespan < best.makespan))
    best = std::move(other);
}

// What the other schedules say, where they can be told and stay within memory.
template <typename Visit>
void visitFamilies(const ScheduleProblem &problem, Visit visit) {
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    Schedule schedule;
    Simulation simulation;
    if (family.follows == OrderSource::shape && !solve(family, problem, schedule) &&
        !simulate(problem, schedule, simulation))
      visit(schedule, simulation);
  }
}

int64_t sumOfEnds(const Simulation &simulation) {
  int64_t sum = 0;
  for (const std::vector<int64_t> &ends : simulation.end)
    sum += ends.empty() ? 0 : ends.back();
  return sum;
}

// Of the other schedules that take as long, the one whose ranks end soonest, if sooner: they update sooner, of which no order
// knows.
void endSooner(const ScheduleProblem &problem, Schedule &schedule) {
  Simulation best;
  if (simulate(problem, schedule, best))
    return;
  visitFamilies(problem, [&](Schedule &other, Simulation &simulation) {
    if (simulation.makespan > best.makespan || sumOfEnds(simulation) >= sumOfEnds(best))
      return;
    schedule = std::move(other);
    best = std::move(simulation);
  });
}

// A move looks at all jobs: so many that it takes about as long for all problems, but less for very large ones, which few
// moves change.
int64_t movesFor(int64_t work) {
  int64_t more = std::max<int64_t>(work / ScheduleEffort::large, 1);
  return std::clamp<int64_t>(ScheduleEffort::looks / work / (more * more * more * more), 0, ScheduleEffort::mostMoves);
}

// The best of the other schedules and of the rules, not improved; empty if none is within memory.
TimedOrders orderByRules(const Jobs &jobs, const ForcedOrder &forced, int64_t bound) {
  TimedOrders best;
  visitFamilies(jobs.problem, [&](const Schedule &schedule, const Simulation &simulation) {
    keepBetter({ordersOf(jobs, schedule), simulation.makespan}, best);
  });
  bool isLarge = jobs.count > ScheduleEffort::large;
  int64_t enough = bound + (isLarge ? bound / ScheduleEffort::largeGap : 0);
  std::vector<std::vector<int64_t>> rules = priorities(jobs, forced);
  if (isLarge)
    rules.resize(ScheduleEffort::largeRules);
  for (const std::vector<int64_t> &priority : rules)
    for (int64_t patience : isLarge ? std::vector<int64_t>{0} : std::vector<int64_t>{0, 25, 50, 100})
      if (best.orders.empty() || best.makespan > enough)
        keepBetter(scheduleByList(jobs, priority, patience), best);
  return best;
}

// Moves change little of an order of many micro-batches, but much of one of few, of which a turn is then repeated: as many
// micro-batches as ranks fill the pipeline, half as many more, and twice as many.
TimedOrders orderByTurns(const Jobs &jobs) {
  TimedOrders best;
  if (!jobs.problem.samples.empty())
    return best;
  for (int64_t halves : {2, 3, 4}) {
    ScheduleProblem few = jobs.problem;
    few.microBatches = few.numRanks() * halves / 2;
    if (2 * few.microBatches > jobs.microBatches)
      break;
    Jobs fewJobs(few);
    ForcedOrder forced(fewJobs);
    int64_t bound = boundOfRanks(fewJobs, forced);
    TimedOrders ofFew = orderByRules(fewJobs, forced, bound);
    if (ofFew.orders.empty())
      continue;
    improve(fewJobs, bound, movesFor(fewJobs.count) / 3, ofFew);
    keepBetter(repeatTurns(jobs, fewJobs, ofFew), best);
  }
  return best;
}

} // namespace

// The best of the other schedules and of list schedules under several rules and degrees of patience, of turns of orders of
// fewer micro-batches, and of keys that are searched, each improved by moves; for few jobs, branch and bound. Within memory
// by construction. Optimal where it meets the bound or the search ends; the numbers of steps and nodes depend on the
// problem alone. Of schedules that are as good the one whose ranks end soonest. Source: see Search.h; W and B apart are
// those of Qi et al., "Zero Bubble Pipeline Parallelism", 2023, whose own search is a list schedule.
Fault plc::planner::orderAuto(const ScheduleProblem &problem, Schedule &schedule) {
  Jobs jobs(problem);
  ForcedOrder forced(jobs);
  int64_t bound = boundOf(jobs, forced), work = std::max<int64_t>(jobs.count, 1);
  TimedOrders best = orderByRules(jobs, forced, bound);
  if (best.orders.empty())
    return noPlanFits("no order of the rules that there are fits the memory of the ranks");
  improve(jobs, bound, movesFor(work), best);
  auto add = [&](TimedOrders other) {
    if (other.orders.empty())
      return;
    improve(jobs, bound, movesFor(work) / 2, other);
    keepBetter(std::move(other), best);
  };
  bool searches = work > ScheduleEffort::exactJobs && work <= ScheduleEffort::turnJobs;
  if (searches && best.makespan > bound)
    add(orderByTurns(jobs));
  if (searches && best.makespan > bound)
    add(searchKeys(jobs, ScheduleEffort::keyJobs / work));
  if (best.makespan > bound && work <= ScheduleEffort::exactJobs)
    solveExactly(jobs, forced, ScheduleEffort::exactLooks / work, best);
  schedule = scheduleOf(jobs, best.orders);
  endSooner(problem, schedule);
  return std::nullopt;
}

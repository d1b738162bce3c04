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

// The best of the other schedules and of the rules; empty if none is within memory.
TimedOrders orderByRules(const Jobs &jobs, const ForcedOrder &forced, int64_t bound) {
  TimedOrders best;
  for (const ScheduleFamily &family : plc::Choice<ScheduleKind>::rows()) {
    Schedule schedule;
    Simulation simulation;
    if (family.follows == OrderSource::shape && !solve(family, jobs.problem, schedule) &&
        !simulate(jobs.problem, schedule, simulation))
      keepBetter({ordersOf(jobs, schedule), simulation.makespan}, best);
  }
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

} // namespace

// The best of the other schedules and of list schedules under several rules and degrees of patience; for few jobs, branch and
// bound. Within memory by construction. Optimal where it meets the bound or the search ends; the number of nodes depends on the
// problem alone. Plans have their orders from the search (plc/Search/Search.h), which knows messages and bytes; this is for what
// nobody has chosen a plan for. W and B apart are those of Qi et al., "Zero Bubble Pipeline Parallelism", 2023, whose own search
// is a list schedule.
Fault plc::planner::orderAuto(const ScheduleProblem &problem, Schedule &schedule) {
  Jobs jobs(problem);
  ForcedOrder forced(jobs);
  int64_t bound = boundOf(jobs, forced);
  TimedOrders best = orderByRules(jobs, forced, bound);
  if (best.orders.empty())
    return noPlanFits("no order of the rules that there are fits the memory of the ranks");
  if (best.makespan > bound && jobs.count <= ScheduleEffort::exactJobs)
    solveExactly(jobs, forced, ScheduleEffort::exactLooks / std::max<int64_t>(jobs.count, 1), best);
  schedule = scheduleOf(jobs, best.orders);
  return std::nullopt;
}

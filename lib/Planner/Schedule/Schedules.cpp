//===- Schedules.cpp - the table of schedules -----------------------------===//
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Planner/Schedule/SharedStages.h"

#include <algorithm>
#include <utility>

using namespace plc;
using namespace plc::planner;

std::span<const ScheduleFamily> Choice<ScheduleKind>::rows() {
  static constexpr ScheduleFamily table[] = {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS)                              \
  {NAME, order##FUNCTION, OrderSource::FOLLOWS, SPLITS_BACKWARD, Placement::PLACEMENT, CHUNKS},
#include "plc/Planner/Schedule/Schedules.def"
  };
  return table;
}

std::vector<int64_t> plc::planner::rankMapOf(Placement placement, int64_t stages, int64_t chunks) {
  int64_t ranks = (stages + chunks - 1) / chunks;
  std::vector<int64_t> rankMap;
  for (int64_t stage = 0; stage < stages; ++stage) {
    // In V shape every second pass over the ranks runs back.
    bool back = placement == Placement::vShape && stage / ranks % 2;
    rankMap.push_back(back ? ranks - 1 - stage % ranks : stage % ranks);
  }
  return rankMap;
}

namespace {

// The stages must be on the ranks that the schedule's row names.
Status verifyPlacement(const ScheduleFamily &family, const ScheduleProblem &problem) {
  if (family.placement == Placement::any)
    return std::nullopt;
  int64_t stages = problem.stages.size(), ranks = problem.numRanks();
  std::vector<int64_t> rankMap = rankMapOf(family.placement, stages, (stages + ranks - 1) / ranks);
  for (int64_t stage = 0; stage < stages; ++stage)
    if (problem.stages[stage].rank != rankMap[stage])
      return "schedule '" + std::string(family.name) + "' needs stage " + std::to_string(stage) + " on rank " +
             std::to_string(rankMap[stage]) + " but it is on rank " + std::to_string(problem.stages[stage].rank);
  return std::nullopt;
}

// No task of a stage may run between its B and W if the schedule's row says so: `--plan-partition` relies on it, and
// makes a full backward.
Status verifyPromise(const ScheduleFamily &family, const ScheduleProblem &problem, const Schedule &schedule) {
  std::string name = "schedule '" + std::string(family.name) + "'";
  std::vector<const ScheduledTask *> last(problem.stages.size()); // the task that the stage ran last
  for (const std::vector<ScheduledTask> &rank : schedule.ranks)
    for (const ScheduledTask &job : rank) {
      const ScheduledTask *before = std::exchange(last[job.stage], &job);
      bool behindB = before && before->kind == TaskKind::B && problem.stages[job.stage].has[int(TaskKind::W)];
      if (behindB && !family.splitsBackward && job != ScheduledTask{job.stage, TaskKind::W, before->microBatch})
        return name + " runs " + describe(job) + " between B and W of micro-batch " +
               std::to_string(before->microBatch);
    }
  return std::nullopt;
}

} // namespace

Status plc::planner::solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule) {
  if (Status fault = problem.check())
    return fault;
  // Shards order by their pipeline; orders by times see all stages.
  bool isShared = !problem.pipeline.empty() && family.follows == OrderSource::shape;
  Status wrong = isShared ? std::nullopt : verifyPlacement(family, problem);
  if (wrong)
    return wrong;
  auto orderPipeline = [&](const ScheduleProblem &pipeline, Schedule &wide) { return solve(family, pipeline, wide); };
  if (Status fault = isShared ? orderShared(orderPipeline, !family.splitsBackward, problem, schedule)
                              : family.order(problem, schedule))
    return fault;
  if (Status fault = problem.verify(schedule))
    return fault;
  return verifyPromise(family, problem, schedule);
}

// The fastest of the shape-driven schedules. Searched plans bring their own orders (plc/Search/Search.h); this serves
// programs without a plan.
Status plc::planner::orderAuto(const ScheduleProblem &problem, Schedule &schedule) {
  int64_t least = -1;
  for (const ScheduleFamily &family : Choice<ScheduleKind>::rows()) {
    Schedule other;
    Simulation simulation;
    if (family.follows != OrderSource::shape || solve(family, problem, other) || simulate(problem, other, simulation) ||
        (least >= 0 && simulation.makespan >= least))
      continue;
    least = simulation.makespan;
    schedule = std::move(other);
  }
  return least < 0 ? solve(rowOf(ScheduleKind::gPipe), problem, schedule) : std::nullopt; // which says why
}

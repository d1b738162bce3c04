//===- Schedules.cpp - the table of schedules, and what it promises -------===//
#include "plc/Planner/Schedules.h"

#include <utility>

using namespace plc;
using namespace plc::planner;

std::span<const ScheduleFamily> Choice<ScheduleKind>::rows() {
  static constexpr ScheduleFamily table[] = {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, SPLITS_BACKWARD, SHARES_RANKS)                                            \
  {NAME, order##FUNCTION, inFlight##FUNCTION, SPLITS_BACKWARD, SHARES_RANKS},
#include "plc/Planner/Schedules.def"
  };
  return table;
}

std::span<const char *const> Choice<ScheduleKind>::planned() {
  static constexpr const char *table[] = {
#define SCHEDULE_PLANNED(NAME) NAME,
#include "plc/Planner/Schedules.def"
  };
  return table;
}

namespace {

// The cuts have counted on a row's promises, so an order that breaks one would not fit the memory that was planned.
Fault verifyPromises(const ScheduleFamily &family, const ScheduleProblem &problem, const Schedule &schedule) {
  std::string name = "schedule '" + std::string(family.name) + "'";
  int64_t stages = problem.stages.size();
  std::vector<int64_t> held(stages);               // micro-batches in flight
  std::vector<const ScheduledTask *> last(stages); // the task that the stage ran last
  for (const std::vector<ScheduledTask> &rank : schedule.ranks)
    for (const ScheduledTask &job : rank) {
      const ScheduleProblem::Stage &stage = problem.stages[job.stage];
      const ScheduledTask *before = std::exchange(last[job.stage], &job);
      bool behindB = before && before->kind == TaskKind::B && stage.has[int(TaskKind::W)];
      if (behindB && !family.splitsBackward && job != ScheduledTask{job.stage, TaskKind::W, before->microBatch})
        return name + " runs " + describe(job) + " between B and W of micro-batch " +
               std::to_string(before->microBatch);
      // Residuals are free when the last task of the backward pass has run.
      TaskKind end = stage.has[int(TaskKind::W)] ? TaskKind::W : TaskKind::B;
      held[job.stage] += job.kind == TaskKind::F && stage.has[int(end)];
      held[job.stage] -= job.kind == end && stage.has[int(TaskKind::F)];
      int64_t most = family.inFlight(job.stage, stages, problem.microBatches);
      if (held[job.stage] > most)
        return name + " holds " + std::to_string(held[job.stage]) + " micro-batches on stage " +
               std::to_string(job.stage) + " but counts with " + std::to_string(most);
    }
  return std::nullopt;
}

} // namespace

Fault plc::planner::solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule) {
  if (Fault fault = problem.check())
    return fault;
  if (!family.sharesRanks && problem.numRanks() < int64_t(problem.stages.size()))
    return "schedule '" + std::string(family.name) + "' needs a rank for each stage but " +
           std::to_string(problem.stages.size()) + " stages are on " + std::to_string(problem.numRanks()) + " ranks";
  if (Fault fault = family.order(problem, schedule))
    return fault;
  if (Fault fault = problem.verify(schedule))
    return fault;
  return verifyPromises(family, problem, schedule);
}

//===- Schedules.cpp - the table of schedules, and what it promises -------===//
#include "plc/Planner/Schedules.h"
#include "plc/Planner/SharedStages.h"

#include <algorithm>
#include <utility>

using namespace plc;
using namespace plc::planner;

std::span<const ScheduleFamily> Choice<ScheduleKind>::rows() {
  static constexpr ScheduleFamily table[] = {
#define SCHEDULE(ENUMERATOR, NAME, FUNCTION, FOLLOWS, SPLITS_BACKWARD, PLACEMENT, CHUNKS)                              \
  {NAME, order##FUNCTION, OrderSource::FOLLOWS, SPLITS_BACKWARD, Placement::PLACEMENT, CHUNKS},
#include "plc/Planner/Schedules.def"
  };
  return table;
}

std::vector<int64_t> plc::planner::placeStages(Placement placement, int64_t stages, int64_t chunks) {
  int64_t ranks = (stages + chunks - 1) / chunks;
  std::vector<int64_t> place;
  for (int64_t stage = 0; stage < stages; ++stage) {
    bool back = placement == Placement::vee && stage / ranks % 2;
    place.push_back(back ? ranks - 1 - stage % ranks : stage % ranks);
  }
  return place;
}

namespace {

int64_t countRanks(const std::vector<int64_t> &place) { return *std::max_element(place.begin(), place.end()) + 1; }

// Each stage waits for the one before it, and its backward pass for that of the one behind; all tasks take the same.
ScheduleProblem uniformPipeline(const std::vector<int64_t> &place, int64_t microBatches) {
  ScheduleProblem problem;
  problem.microBatches = microBatches;
  for (int64_t s = 0; s < int64_t(place.size()); ++s) {
    problem.stages.push_back({place[s], {true, true, true}, {1, 1, 1}});
    problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
    problem.dependences.push_back({s, TaskKind::B, s, TaskKind::W});
    if (s) {
      problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F});
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::B});
    }
  }
  return problem;
}

Fault verifyPlacement(const ScheduleFamily &family, const ScheduleProblem &problem) {
  if (family.placement == Placement::any)
    return std::nullopt;
  int64_t stages = problem.stages.size(), ranks = problem.numRanks();
  std::vector<int64_t> place = placeStages(family.placement, stages, (stages + ranks - 1) / ranks);
  for (int64_t stage = 0; stage < stages; ++stage)
    if (problem.stages[stage].rank != place[stage])
      return "schedule '" + std::string(family.name) + "' needs stage " + std::to_string(stage) + " on rank " +
             std::to_string(place[stage]) + " but it is on rank " + std::to_string(problem.stages[stage].rank);
  return std::nullopt;
}

// The cuts have counted on a row's promises, so an order that breaks one would not fit the memory that was planned.
Fault verifyPromises(const ScheduleFamily &family, const ScheduleProblem &problem, const Schedule &schedule) {
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
  if (family.follows == OrderSource::times)
    return std::nullopt; // the problem says its limits
  std::vector<int64_t> place;
  for (const ScheduleProblem::Stage &stage : problem.stages)
    place.push_back(stage.rank);
  std::vector<int64_t> held = inFlightOf(problem, schedule);
  std::vector<int64_t> most = inFlightOf(family, place, problem.microBatches, problem.shards, problem.pipeline);
  for (size_t stage = 0; stage < held.size(); ++stage)
    if (held[stage] > most[stage])
      return name + " holds " + std::to_string(held[stage]) + " micro-batches on stage " + std::to_string(stage) +
             " but counts with " + std::to_string(most[stage]);
  return std::nullopt;
}

} // namespace

std::vector<int64_t> plc::planner::inFlightOf(const ScheduleProblem &problem, const Schedule &schedule) {
  std::vector<int64_t> now(problem.stages.size()), most(now);
  for (const std::vector<ScheduledTask> &rank : schedule.ranks)
    for (const ScheduledTask &job : rank) {
      TaskKind last = problem.stages[job.stage].last();
      if (last == TaskKind::F)
        continue;
      now[job.stage] += (job.kind == TaskKind::F) - (job.kind == last);
      most[job.stage] = std::max(most[job.stage], now[job.stage]);
    }
  return most;
}

std::vector<int64_t> plc::planner::inFlightOf(const ScheduleFamily &family, const std::vector<int64_t> &place,
                                              int64_t microBatches, int64_t shards,
                                              const std::vector<int64_t> &pipeline) {
  if (!pipeline.empty()) {
    std::vector<int64_t> most, wide = inFlightOf(family, groupsOf(place, shards, pipeline), microBatches);
    // While ranks of a group wait for each other, an order that may be any runs another micro-batch.
    bool fills = family.follows == OrderSource::times && shards > 1;
    for (int64_t position : pipeline)
      most.push_back(std::min(microBatches, wide[position] + fills));
    return most;
  }
  // What follows times is given this as a limit: on each rank what the first one of 1F1B holds.
  if (family.follows == OrderSource::times)
    return std::vector<int64_t>(place.size(), std::min(microBatches, countRanks(place)));
  ScheduleProblem problem = uniformPipeline(place, microBatches);
  Schedule schedule;
  if (family.order(problem, schedule))
    return std::vector<int64_t>(place.size(), microBatches);
  return inFlightOf(problem, schedule);
}

Fault plc::planner::solve(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule) {
  if (Fault fault = problem.check())
    return fault;
  bool isShared = !problem.pipeline.empty() && family.follows == OrderSource::shape;
  Fault wrong = isShared ? std::nullopt : verifyPlacement(family, problem);
  if (wrong)
    return wrong;
  auto orderPipeline = [&](const ScheduleProblem &pipeline, Schedule &wide) { return solve(family, pipeline, wide); };
  if (Fault fault = isShared ? orderShared(orderPipeline, !family.splitsBackward, problem, schedule)
                             : family.order(problem, schedule))
    return fault;
  if (Fault fault = problem.verify(schedule))
    return fault;
  return verifyPromises(family, problem, schedule);
}

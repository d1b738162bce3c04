//===- SharedStages.cpp - schedules where a stage of a pipeline is several --===//
//
// Where sizes of a model are divided, a stage of the pipeline is many small ones on a group of ranks that wait for each
// other. The shape of a schedule is that of the pipeline: it is ordered as if a group were one rank, and then each task is
// those of the small stages, in their order, backward in the reverse one. All ranks of a group so keep one order, in which
// each task stands behind what it waits for; nobody waits for ever.
//
// Where a rank's stage is divided into buckets, whose gradients leave while the others still run backward, it is the same with
// groups of one rank. There all of B goes before all of W, because another rank may wait for the last B.
//
//===----------------------------------------------------------------------===//
#include "plc/Planner/SharedStages.h"

using namespace plc::planner;

std::vector<int64_t> plc::planner::positionsOf(const std::vector<int64_t> &place, int64_t shards) {
  std::vector<int64_t> positions;
  for (size_t stage = 0; stage < place.size(); ++stage) {
    bool begins = stage && place[stage] / shards != place[stage - 1] / shards;
    positions.push_back(stage ? positions.back() + begins : 0);
  }
  return positions;
}

std::vector<int64_t> plc::planner::pipelineOf(const std::vector<int64_t> &place, int64_t shards) {
  std::vector<int64_t> groups, positions = positionsOf(place, shards);
  for (size_t stage = 0; stage < place.size(); ++stage)
    if (positions[stage] == int64_t(groups.size()))
      groups.push_back(place[stage] / shards);
  return groups;
}

namespace {

std::vector<int64_t> placeOf(const ScheduleProblem &problem) {
  std::vector<int64_t> place;
  for (const ScheduleProblem::Stage &stage : problem.stages)
    place.push_back(stage.rank);
  return place;
}

// A stage for each position of the pipeline, on a rank for each group.
ScheduleProblem pipelineProblem(const ScheduleProblem &problem) {
  std::vector<int64_t> place = placeOf(problem), positions = positionsOf(place, problem.shards);
  ScheduleProblem pipeline;
  pipeline.microBatches = problem.microBatches;
  pipeline.samples = problem.samples;
  for (int64_t group : pipelineOf(place, problem.shards))
    pipeline.stages.push_back({group});
  for (size_t stage = 0; stage < positions.size(); ++stage)
    for (int kind = 0; kind < 3; ++kind) {
      auto &position = pipeline.stages[positions[stage]];
      position.has[kind] = position.has[kind] || problem.stages[stage].has[kind];
      position.ns[kind] += problem.stages[stage].ns[kind];
    }
  // Inside a group its own order has tasks wait for those before them: for a W, too, that stands with its B.
  for (const ScheduleProblem::Dependence &each : problem.dependences)
    if (int64_t from = positions[each.source], to = positions[each.destination]; from != to || each.from < each.to)
      pipeline.dependences.push_back({from, each.from, to, each.to, each.ns});
  return pipeline;
}

} // namespace

Fault plc::planner::orderShared(const ScheduleFamily &family, const ScheduleProblem &problem, Schedule &schedule) {
  ScheduleProblem pipeline = pipelineProblem(problem);
  Schedule wide;
  if (Fault fault = solve(family, pipeline, wide))
    return fault;
  std::vector<int64_t> positions = positionsOf(placeOf(problem), problem.shards);
  std::vector<std::vector<int64_t>> members(pipeline.stages.size());
  for (size_t stage = 0; stage < positions.size(); ++stage)
    members[positions[stage]].push_back(stage);
  schedule.ranks.assign(problem.numRanks(), {});
  auto add = [&](int64_t stage, TaskKind kind, int64_t microBatch) {
    if (problem.stages[stage].has[int(kind)])
      schedule.ranks[problem.stages[stage].rank].push_back({stage, kind, microBatch});
  };
  for (const std::vector<ScheduledTask> &rank : wide.ranks)
    for (const ScheduledTask &job : rank) {
      const std::vector<int64_t> &stages = members[job.stage];
      if (job.kind == TaskKind::F) {
        for (int64_t stage : stages)
          add(stage, TaskKind::F, job.microBatch);
        continue;
      }
      // B and W in one go are so in each of the small stages.
      bool joins = !family.splitsBackward && pipeline.stages[job.stage].has[int(TaskKind::B)];
      if (joins && job.kind == TaskKind::W)
        continue;
      for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
        add(*stage, job.kind, job.microBatch);
        if (joins && !problem.buckets)
          add(*stage, TaskKind::W, job.microBatch);
      }
      for (auto stage = stages.rbegin(); joins && problem.buckets && stage != stages.rend(); ++stage)
        add(*stage, TaskKind::W, job.microBatch);
    }
  return std::nullopt;
}

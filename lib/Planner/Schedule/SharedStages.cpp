//===- SharedStages.cpp - schedules where ranks share a stage -------------===//
//
// If sizes of a model are sharded, a stage of the pipeline is several shards on a group of ranks that wait for each
// other. The schedule keeps the shape of the pipeline: it orders groups as if each were one rank. Then each task is
// replaced by those of its shards, in their order, backward in reverse order. So all ranks of a group keep one order,
// in which each task stands behind what it waits for, and no deadlock arises.
//
// If a stage is divided into buckets, whose gradients leave while other buckets still run backward, groups have one
// rank. Then all of B precedes all of W, because another rank may wait for the last B.
//
//===----------------------------------------------------------------------===//
#include "plc/Planner/Schedule/SharedStages.h"

#include "plc/Planner/Base/Order.h"
#include "plc/Planner/Schedule/ScheduleFile.h"

using namespace plc::planner;

std::vector<int64_t> plc::planner::groupsOf(const std::vector<int64_t> &rankMap, int64_t shards,
                                            const std::vector<int64_t> &pipeline) {
  std::vector<int64_t> groups(pipeline.back() + 1);
  for (size_t shard = 0; shard < rankMap.size(); ++shard)
    groups[pipeline[shard]] = rankMap[shard] / shards;
  return groups;
}

ScheduleProblem plc::planner::pipelineOf(const ScheduleProblem &problem) {
  std::vector<int64_t> rankMap;
  for (const ScheduleProblem::Stage &shard : problem.stages)
    rankMap.push_back(shard.rank);
  ScheduleProblem pipeline;
  pipeline.microBatches = problem.microBatches;
  pipeline.samples = problem.samples;
  // The times of a stage's shards add up, which is exact where one rank runs them all.
  for (int64_t group : groupsOf(rankMap, problem.shards, problem.pipeline))
    pipeline.stages.push_back({group});
  for (size_t shard = 0; shard < rankMap.size(); ++shard)
    for (int kind = 0; kind < 3; ++kind) {
      ScheduleProblem::Stage &stage = pipeline.stages[problem.pipeline[shard]];
      stage.has[kind] = stage.has[kind] || problem.stages[shard].has[kind];
      stage.ns[kind] += problem.stages[shard].ns[kind];
    }
  // Dependences inside a group hold by the group's own order. Those between kinds remain, also for a W that stands with
  // its B.
  for (const ScheduleProblem::Dependence &each : problem.dependences)
    if (int64_t from = problem.pipeline[each.source], to = problem.pipeline[each.destination];
        from != to || each.from < each.to)
      pipeline.dependences.push_back({from, each.from, to, each.to, each.ns});
  return pipeline;
}

namespace {

// Replaces each task of the pipeline's order by the tasks of its shards.
Schedule divide(const Schedule &whole, bool joins, const ScheduleProblem &problem) {
  std::vector<std::vector<int64_t>> shards(problem.pipeline.back() + 1);
  std::vector<bool> hasB(shards.size());
  // Shards are numbered in forward order, so appending keeps it.
  for (size_t shard = 0; shard < problem.pipeline.size(); ++shard) {
    shards[problem.pipeline[shard]].push_back(shard);
    hasB[problem.pipeline[shard]] = hasB[problem.pipeline[shard]] || problem.stages[shard].has[int(TaskKind::B)];
  }
  Schedule schedule;
  schedule.ranks.resize(problem.numRanks());
  auto add = [&](int64_t shard, TaskKind kind, int64_t microBatch) {
    if (problem.stages[shard].has[int(kind)])
      schedule.ranks[problem.stages[shard].rank].push_back({shard, kind, microBatch});
  };
  for (const std::vector<ScheduledTask> &group : whole.ranks)
    for (const ScheduledTask &job : group) {
      // A stage without B, as the first one may be, has its W alone.
      bool isJoined = joins && hasB[job.stage];
      const std::vector<int64_t> &own = shards[job.stage];
      if (job.kind == TaskKind::F)
        for (int64_t shard : own)
          add(shard, TaskKind::F, job.microBatch);
      else if (job.kind == TaskKind::B || !isJoined)
        for (auto shard = own.rbegin(); shard != own.rend(); ++shard) {
          // Backward visits the shards in reverse, as their dependences do.
          add(*shard, job.kind, job.microBatch);
          if (isJoined)
            add(*shard, TaskKind::W, job.microBatch);
        }
    }
  return schedule;
}

} // namespace

Status plc::planner::orderShared(const std::function<Status(const ScheduleProblem &, Schedule &)> &order, bool joins,
                                 const ScheduleProblem &problem, Schedule &schedule) {
  Schedule whole;
  if (Status fault = order(pipelineOf(problem), whole))
    return fault;
  schedule = divide(whole, joins && problem.shards > 1, problem);
  return std::nullopt;
}

// Recovers the order of the pipeline: each rank shows in which order the tasks begin of which it has shards; other
// ranks and dependences order the rest. A joined W begins with its B.
static Schedule orderOfGroups(const ScheduleProblem &problem, const Schedule &schedule, bool joins) {
  ScheduleProblem pipeline = pipelineOf(problem);
  auto isJoined = [&](int64_t stage, TaskKind kind) {
    return joins && kind == TaskKind::W && pipeline.stages[stage].has[int(TaskKind::B)];
  };
  auto nodeOf = [&](int64_t stage, TaskKind kind, int64_t microBatch) {
    TaskKind first = isJoined(stage, kind) ? TaskKind::B : kind;
    return ScheduleProblem::nodeOf(stage, first) * problem.microBatches + microBatch;
  };
  int64_t nodes = pipeline.stages.size() * 3 * problem.microBatches;
  Edges edges;
  for (const ScheduleProblem::Dependence &each : pipeline.dependences)
    for (int64_t mb = 0; mb < problem.microBatches; ++mb)
      if (auto edge = std::pair(nodeOf(each.source, each.from, mb), nodeOf(each.destination, each.to, mb));
          edge.first != edge.second)
        edges.push_back(edge);
  // On each rank, neighbours in the order of first tasks become edges.
  for (const std::vector<ScheduledTask> &rank : schedule.ranks) {
    std::vector<bool> begun(nodes);
    int64_t last = -1;
    for (const ScheduledTask &job : rank)
      if (int64_t node = nodeOf(problem.pipeline[job.stage], job.kind, job.microBatch); !begun[node]) {
        if (last >= 0)
          edges.emplace_back(last, node);
        begun[last = node] = true;
      }
  }
  Schedule whole;
  whole.ranks.resize(pipeline.numRanks());
  std::vector<int64_t> order;
  if (!sortTopologically(nodes, edges, order))
    return whole; // a cycle: the order was made of no pipeline
  for (int64_t node : order) {
    int64_t mb = node % problem.microBatches, stage = node / problem.microBatches / 3;
    auto add = [&](TaskKind kind) {
      if (pipeline.stages[stage].has[int(kind)])
        whole.ranks[pipeline.stages[stage].rank].push_back({stage, kind, mb});
    };
    auto kind = TaskKind(node / problem.microBatches % 3);
    if (isJoined(stage, kind))
      continue;
    add(kind);
    if (kind == TaskKind::B && isJoined(stage, TaskKind::W))
      add(TaskKind::W);
  }
  return whole;
}

std::optional<Schedule> plc::planner::pipelineOrderOf(const ScheduleProblem &problem, const Schedule &schedule) {
  // Whether the order was made by joining is not recorded. Dividing the recovered order again shows which one it was.
  for (bool joins : {true, false})
    if (Schedule whole = orderOfGroups(problem, schedule, joins); divide(whole, joins, problem).ranks == schedule.ranks)
      return whole;
  return std::nullopt;
}

Status plc::planner::orderByFile(const ScheduleFile &file, const ScheduleProblem &problem, Schedule &schedule) {
  bool isForward = std::none_of(problem.stages.begin(), problem.stages.end(),
                                [](const ScheduleProblem::Stage &stage) { return stage.has[1] || stage.has[2]; });
  auto read = [&](const ScheduleProblem &pipeline, Schedule &order) {
    // An entry for some of the outputs may have fewer stages. It has forwards alone, so any order is valid.
    Status fault = isForward && pipeline.stages.size() < file.rankMap().size() ? orderGPipe(pipeline, order)
                                                                               : file.order(pipeline, order);
    return fault ? fault : pipeline.verify(order);
  };
  Status fault = problem.pipeline.empty() ? read(problem, schedule)
                                          : orderShared(read, /*joins=*/!file.splitsBackward(), problem, schedule);
  return fault ? fault : problem.verify(schedule);
}

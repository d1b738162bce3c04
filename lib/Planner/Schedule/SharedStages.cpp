//===- SharedStages.cpp - schedules where a stage of a pipeline is several --===//
//
// Where sizes of a model are divided, a stage of the pipeline is many parts on a group of ranks that wait for each other. The
// shape of a schedule is that of the pipeline: it is ordered as if a group were one rank, and then each task is those of the
// parts, in their order, backward in the reverse one. All ranks of a group so keep one order, in which each task stands behind
// what it waits for; nobody waits for ever.
//
// Where a rank's stage is divided into buckets, whose gradients leave while the others still run backward, it is the same with
// groups of one rank. There all of B goes before all of W, because another rank may wait for the last B.
//
//===----------------------------------------------------------------------===//
#include "plc/Planner/Schedule/SharedStages.h"

#include "plc/Planner/Base/Order.h"
#include "plc/Planner/Schedule/ScheduleFile.h"

using namespace plc::planner;

std::vector<int64_t> plc::planner::groupsOf(const std::vector<int64_t> &place, int64_t shards,
                                            const std::vector<int64_t> &pipeline) {
  std::vector<int64_t> groups(pipeline.back() + 1);
  for (size_t part = 0; part < place.size(); ++part)
    groups[pipeline[part]] = place[part] / shards;
  return groups;
}

ScheduleProblem plc::planner::pipelineOf(const ScheduleProblem &problem) {
  std::vector<int64_t> place;
  for (const ScheduleProblem::Stage &part : problem.stages)
    place.push_back(part.rank);
  ScheduleProblem pipeline;
  pipeline.microBatches = problem.microBatches;
  pipeline.samples = problem.samples;
  for (int64_t group : groupsOf(place, problem.shards, problem.pipeline))
    pipeline.stages.push_back({group});
  for (size_t part = 0; part < place.size(); ++part)
    for (int kind = 0; kind < 3; ++kind) {
      ScheduleProblem::Stage &stage = pipeline.stages[problem.pipeline[part]];
      stage.has[kind] = stage.has[kind] || problem.stages[part].has[kind];
      stage.ns[kind] += problem.stages[part].ns[kind];
    }
  // Inside a group its own order has tasks wait for those before them: for a W, too, that stands with its B.
  for (const ScheduleProblem::Dependence &each : problem.dependences)
    if (int64_t from = problem.pipeline[each.source], to = problem.pipeline[each.destination];
        from != to || each.from < each.to)
      pipeline.dependences.push_back({from, each.from, to, each.to, each.ns});
  return pipeline;
}

namespace {

// The tasks of all parts in the order of their pipeline.
Schedule divide(const Schedule &whole, bool joins, const ScheduleProblem &problem) {
  std::vector<std::vector<int64_t>> parts(problem.pipeline.back() + 1);
  std::vector<bool> hasB(parts.size());
  for (size_t part = 0; part < problem.pipeline.size(); ++part) {
    parts[problem.pipeline[part]].push_back(part);
    hasB[problem.pipeline[part]] = hasB[problem.pipeline[part]] || problem.stages[part].has[int(TaskKind::B)];
  }
  Schedule schedule;
  schedule.ranks.resize(problem.numRanks());
  auto add = [&](int64_t part, TaskKind kind, int64_t microBatch) {
    if (problem.stages[part].has[int(kind)])
      schedule.ranks[problem.stages[part].rank].push_back({part, kind, microBatch});
  };
  for (const std::vector<ScheduledTask> &group : whole.ranks)
    for (const ScheduledTask &job : group) {
      bool isJoined = joins && hasB[job.stage];
      const std::vector<int64_t> &own = parts[job.stage];
      if (job.kind == TaskKind::F)
        for (int64_t part : own)
          add(part, TaskKind::F, job.microBatch);
      else if (job.kind == TaskKind::B || !isJoined)
        for (auto part = own.rbegin(); part != own.rend(); ++part) {
          add(*part, job.kind, job.microBatch);
          if (isJoined)
            add(*part, TaskKind::W, job.microBatch);
        }
    }
  return schedule;
}

} // namespace

Fault plc::planner::orderShared(const std::function<Fault(const ScheduleProblem &, Schedule &)> &order, bool joins,
                                const ScheduleProblem &problem, Schedule &schedule) {
  Schedule whole;
  if (Fault fault = order(pipelineOf(problem), whole))
    return fault;
  schedule = divide(whole, joins && problem.shards > 1, problem);
  return std::nullopt;
}

// A rank tells in which order the tasks begin that it has parts of; where it has none, others do, or what tasks wait for. What is
// joined begins with B.
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
    return whole; // of none
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
  for (bool joins : {true, false})
    if (Schedule whole = orderOfGroups(problem, schedule, joins); divide(whole, joins, problem).ranks == schedule.ranks)
      return whole;
  return std::nullopt;
}

Fault plc::planner::orderByFile(const ScheduleFile &file, const ScheduleProblem &problem, Schedule &schedule) {
  bool isForward = std::none_of(problem.stages.begin(), problem.stages.end(),
                                [](const ScheduleProblem::Stage &stage) { return stage.has[1] || stage.has[2]; });
  auto read = [&](const ScheduleProblem &pipeline, Schedule &order) {
    // A program that gives a part of the outputs may have fewer stages; it has forwards alone, so any order does.
    Fault fault = isForward && pipeline.stages.size() < file.place().size() ? orderGPipe(pipeline, order)
                                                                            : file.order(pipeline, order);
    return fault ? fault : pipeline.verify(order);
  };
  Fault fault = problem.pipeline.empty() ? read(problem, schedule)
                                         : orderShared(read, /*joins=*/!file.splitsBackward(), problem, schedule);
  return fault ? fault : problem.verify(schedule);
}

//===- Schedule.cpp - the problem of ordering tasks -----------------------===//
#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Planner/Base/Order.h"

#include "Base/Total.h"

#include <algorithm>

using namespace plc::planner;

std::string plc::planner::describe(const ScheduledTask &job) {
  return "stage " + std::to_string(job.stage) + ", " + "FBW"[int(job.kind)] + " of micro-batch " +
         std::to_string(job.microBatch);
}

int64_t ScheduleProblem::numRanks() const {
  int64_t ranks = 0;
  for (const Stage &stage : stages)
    ranks = std::max(ranks, stage.rank + 1);
  return ranks;
}

// A time of a short micro-batch: in proportion to its samples, rounded up.
int64_t ScheduleProblem::scaledBySamples(int64_t whole, int64_t microBatch) const {
  int64_t most = *std::max_element(samples.begin(), samples.end());
  return (whole * samples[microBatch] + most - 1) / most;
}

std::vector<std::vector<int64_t>> ScheduleProblem::dependencesInto() const {
  std::vector<std::vector<int64_t>> into(stages.size() * 3);
  for (size_t i = 0; i < dependences.size(); ++i)
    into[nodeOf(dependences[i].destination, dependences[i].to)].push_back(i);
  return into;
}

namespace {

// Samples are given for all micro-batches or for none, and are positive.
Status checkSamples(const ScheduleProblem &problem) {
  if (!problem.samples.empty() && int64_t(problem.samples.size()) != problem.microBatches)
    return "has samples of " + std::to_string(problem.samples.size()) + " micro-batches of " +
           std::to_string(problem.microBatches);
  for (int64_t samples : problem.samples)
    if (samples <= 0)
      return "has a micro-batch of " + std::to_string(samples) + " samples";
  return std::nullopt;
}

} // namespace

Status ScheduleProblem::check() const {
  if (microBatches <= 0)
    return "has " + std::to_string(microBatches) + " micro-batches but needs 1 or more";
  if (stages.empty())
    return "has no stage";
  if (Status fault = checkSamples(*this))
    return fault;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    if (stages[stage].rank < 0 || stages[stage].rank >= int64_t(stages.size()))
      return "stage " + std::to_string(stage) + " is on rank " + std::to_string(stages[stage].rank) + " of at most " +
             std::to_string(stages.size());
    // A task that does not exist takes no time, so sums over all three kinds are right.
    for (int kind = 0; kind < 3; ++kind)
      if (stages[stage].ns[kind] < 0 || (!stages[stage].has[kind] && stages[stage].ns[kind]))
        return "stage " + std::to_string(stage) + " has time " + std::to_string(stages[stage].ns[kind]) + " for " +
               "FBW"[kind];
  }
  if (Status fault = checkSize())
    return fault;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (const Dependence &each : dependences) {
    if (each.ns < 0)
      return "a dependence takes " + std::to_string(each.ns) + " ns";
    for (auto [stage, kind] : {std::pair(each.source, each.from), std::pair(each.destination, each.to)})
      if (stage < 0 || stage >= int64_t(stages.size()) || !stages[stage].has[int(kind)])
        return "a dependence names stage " + std::to_string(stage) + "'s " + "FBW"[int(kind)] +
               ", which does not exist";
    edges.emplace_back(nodeOf(each.source, each.from), nodeOf(each.destination, each.to));
  }
  // Tasks of one micro-batch must be orderable at all.
  std::vector<int64_t> cycle = findCycle(stages.size() * 3, edges);
  if (cycle.empty())
    return std::nullopt;
  std::string text = "tasks of one micro-batch wait for each other:";
  for (int64_t node : cycle)
    text += " " + std::to_string(node / 3) + "." + "FBW"[node % 3];
  return text;
}

// Ranks are used without a gap, and no sum of times overflows.
Status ScheduleProblem::checkSize() const {
  std::vector<bool> used(numRanks());
  int64_t tasks = 0;
  Total ns;
  for (const Stage &stage : stages) {
    used[stage.rank] = true;
    for (int kind = 0; kind < 3; ++kind) {
      tasks += stage.has[kind];
      ns.add(stage.ns[kind], microBatches);
    }
  }
  if (auto unused = std::find(used.begin(), used.end(), false); unused != used.end())
    return "no stage is on rank " + std::to_string(unused - used.begin()) + " of " + std::to_string(used.size());
  if (tasks && microBatches > mostJobs / tasks)
    return std::to_string(microBatches) + " micro-batches of " + std::to_string(tasks) + " tasks are more than " +
           std::to_string(mostJobs) + " jobs";
  for (const Dependence &each : dependences)
    ns.add(std::max<int64_t>(each.ns, 0), microBatches);
  return ns.check("times of all jobs");
}

// Every task once, on its rank, micro-batches in order. Then the simulation proves that no rank waits forever.
Status ScheduleProblem::verify(const Schedule &schedule) const {
  if (int64_t(schedule.ranks.size()) != numRanks())
    return "orders " + std::to_string(schedule.ranks.size()) + " ranks of " + std::to_string(numRanks());
  std::vector<std::array<int64_t, 3>> next(stages.size(), {0, 0, 0});
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (const ScheduledTask &job : schedule.ranks[rank]) {
      if (job.stage < 0 || job.stage >= int64_t(stages.size()) || !stages[job.stage].has[int(job.kind)])
        return describe(job) + " does not exist";
      if (stages[job.stage].rank != int64_t(rank))
        return describe(job) + " runs on rank " + std::to_string(rank) + " but its stage is on rank " +
               std::to_string(stages[job.stage].rank);
      int64_t &expected = next[job.stage][int(job.kind)];
      // Index order also shows a job that runs twice.
      if (job.microBatch != expected)
        return describe(job) + " runs where micro-batch " + std::to_string(expected) + " is next";
      ++expected;
    }
  for (size_t stage = 0; stage < stages.size(); ++stage)
    for (int kind = 0; kind < 3; ++kind)
      if (stages[stage].has[kind] && next[stage][kind] != microBatches)
        return describe({int64_t(stage), TaskKind(kind), next[stage][kind]}) + " is missing";
  Simulation simulation;
  return simulate(*this, schedule, simulation);
}

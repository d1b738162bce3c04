//===- KnownOrders.cpp - orders that were found before --------------------===//
#include "plc/Planner/KnownOrders.h"

using namespace plc::planner;

KnownOrders::Key KnownOrders::describe(const ScheduleProblem &problem) {
  Key key;
  auto add = [&](auto... numbers) { (key.push_back(int64_t(numbers)), ...); };
  auto addAll = [&](const std::vector<int64_t> &numbers) {
    add(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  add(problem.microBatches, problem.shards, problem.stages.size());
  for (const ScheduleProblem::Stage &stage : problem.stages) {
    add(stage.rank, stage.heldByF, stage.heldByB, stage.inFlight);
    for (size_t kind = 0; kind < stage.has.size(); ++kind)
      add(stage.has[kind], stage.ns[kind]);
  }
  add(problem.dependences.size());
  for (const ScheduleProblem::Dependence &each : problem.dependences)
    add(each.source, each.from, each.destination, each.to, each.ns);
  addAll(problem.pipeline);
  addAll(problem.samples);
  addAll(problem.capBytes);
  return key;
}

Fault KnownOrders::solve(ScheduleKind kind, const ScheduleProblem &problem, Schedule &schedule) {
  auto [it, isNew] = orders.try_emplace({kind, describe(problem)});
  Known &known = it->second;
  if (isNew)
    known.fault = planner::solve(rowOf(kind), problem, known.schedule);
  schedule = known.schedule;
  return known.fault;
}

int64_t KnownOrders::bound(const ScheduleProblem &problem) {
  auto [it, isNew] = bounds.try_emplace(describe(problem));
  if (isNew)
    it->second = problem.bound();
  return it->second;
}

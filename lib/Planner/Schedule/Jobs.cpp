//===- Jobs.cpp - jobs of a scheduling problem, by number -----------------===//
#include "Jobs.h"

#include "plc/Planner/Base/Order.h"

using namespace plc::planner;

Jobs::Jobs(const ScheduleProblem &problem)
    : problem(problem), microBatches(problem.microBatches), count(problem.stages.size() * 3 * problem.microBatches),
      into(problem.stages.size() * 3), chainsOn(problem.numRanks()), ns(count), chainsOf(count) {
  // A table, since a division takes as long as all else that is done for a job.
  for (int64_t job = 0; job < count; ++job)
    chainsOf[job] = job / microBatches;
  Edges edges;
  for (const ScheduleProblem::Dependence &each : problem.dependences) {
    int64_t from = ScheduleProblem::nodeOf(each.source, each.from);
    int64_t to = ScheduleProblem::nodeOf(each.destination, each.to);
    into[to].push_back({from, each.ns});
    edges.emplace_back(from, to);
  }
  std::vector<int64_t> order;
  sortTopologically(into.size(), edges, order);
  for (int64_t chain : order) {
    if (!problem.stages[chain / 3].has[chain % 3])
      continue;
    chains.push_back(chain);
    chainsOn[rankOf(chain)].push_back(chain);
    for (int64_t i = 0; i < microBatches; ++i)
      ns[jobOf(chain, i)] = problem.nsOf({chain / 3, TaskKind(chain % 3), i});
  }
}

//===- BudgetedRematWorkload.cpp - retention by the search for plans ----------===//
#include "BudgetedRematProblems.h"

#include "plc/Search/Search.h"

using namespace plc;
using namespace plc::planner;

// So many calls are cut as a whole, as the layers of models are: of a unit the search knows all sets of calls that run
// again.
static constexpr int64_t callsOfUnit = 8;

static search::Workload workloadOf(const BudgetedRematProblem &problem) {
  search::Workload workload;
  std::vector<int64_t> maker = problem.makers();
  for (size_t value = 0; value < maker.size(); ++value)
    workload.values.push_back({problem.bytes[value], int32_t(maker[value])});
  int64_t forward = problem.firstBackward();
  for (int64_t index = 0; index < int64_t(problem.calls.size()); ++index) {
    const BudgetedRematProblem::Call &call = problem.calls[index];
    search::Call &plain = workload.calls.emplace_back();
    // `addBackward` reverses the calls of F.
    int64_t own = index < forward ? index : 2 * forward - 1 - index;
    plain.unit = int32_t(own / callsOfUnit);
    plain.kind = call.kind;
    plain.ns = call.ns;
    plain.mayRecompute = call.repeatable && call.kind == TaskKind::F;
    plain.reads.assign(call.args.begin(), call.args.end());
    plain.makes.assign(call.results.begin(), call.results.end());
  }
  for (int64_t unit = 0; unit * callsOfUnit < forward; ++unit)
    workload.units.push_back(std::to_string(unit));
  workload.derive();
  return workload;
}

std::optional<BudgetedRemat> plc::planner::searchBudgetedRemat(const BudgetedRematProblem &problem, int64_t effort,
                                                               int64_t *leastBytes) {
  search::Machine machine;
  machine.cluster.machines.push_back({"here", 1, 0});
  machine.limitBytes = {problem.budgetBytes};
  search::Limits limits;
  limits.rankCounts = {1};
  limits.rankOf = {0};
  limits.effort = effort;
  limits.without = {"fewer bytes"}; // the fastest, not one that is about as fast
  search::Workload workload = workloadOf(problem);
  search::SearchReport report;
  std::optional<search::Found> found = search::search({workload}, machine, limits, report);
  if (leastBytes)
    *leastBytes = (found ? found : report.nearest)->result.bytes.front();
  if (!found)
    return std::nullopt;
  BudgetedRemat answer;
  search::StageBodies bodies = search::bodiesOf(workload, found->plan);
  std::vector<int32_t> waiting;
  for (const std::vector<search::BodyCall> &body : bodies.bodies.front())
    for (const search::BodyCall &each : body) {
      if (each.isClone) {
        waiting.push_back(each.call);
        continue;
      }
      for (int32_t clone : waiting)
        answer.clones.push_back({clone, each.call});
      waiting.clear();
    }
  return answer;
}

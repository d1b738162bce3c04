//===- PartitionRemarks.cpp - why the cuts lie where they do --------------===//
#include "PartitionRemarks.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "plan-partition"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::formatBytes;

namespace {

remark::RemarkOpts named(StringRef name, ein::ModelOp model) {
  return remark::RemarkOpts::name(name).category(DEBUG_TYPE).function(model.getSymName());
}

/// The time of the slowest rank if a unit were in another stage, or why it cannot be.
std::string describeMoved(const planner::PartitionProblem &problem, planner::Partition answer, int64_t unit,
                          int64_t stage) {
  if (llvm::count(answer.stageOf, answer.stageOf[unit]) == 1)
    return "a stage would be empty";
  answer.stageOf[unit] = stage;
  answer.slowestNs = 0;
  for (const planner::PartitionProblem::Load &load : problem.sumByRank(problem.loadsOf(answer.stageOf)))
    answer.slowestNs = std::max(answer.slowestNs, load.ns);
  if (planner::Fault fault = problem.verify(answer))
    return *fault;
  return std::to_string(answer.slowestNs) + " ns";
}

/// Where the forward call stands that starts a unit.
Location startOf(ein::ModelOp model, const FlatProgram &flat, int64_t unit) {
  for (const FlatCall &call : flat.calls)
    if (call.role == Role::F && call.unit == unit)
      return call.loc;
  return model.getLoc();
}

} // namespace

void plc::plan::remarkCuts(ein::ModelOp model, const FlatProgram &flat, const planner::PartitionProblem &problem,
                           const planner::Partition &answer) {
  if (!model.getContext()->getRemarkEngine()) // to weigh other cuts takes time
    return;
  remark::passed(model.getLoc(), named("Cut", model))
      << remark::add("the slowest rank takes {0} ns for a micro-batch, and at least {1} ns in any cut",
                     answer.slowestNs, problem.bound());
  SmallVector<SmallVector<int64_t>> units(problem.stages);
  for (auto [unit, stage] : llvm::enumerate(answer.stageOf))
    units[stage].push_back(unit);
  std::vector<planner::PartitionProblem::Load> loads = problem.loadsOf(answer.stageOf);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    int64_t first = units[stage].front();
    Location loc = startOf(model, flat, first);
    remark::analysis(loc, named("Stage", model))
        << remark::add("stage s{0} on rank {1}: {2} units from '{3}' to '{4}', {5} ns, {6} by estimate", stage,
                       problem.rankOf(stage), units[stage].size(), flat.units[first].name,
                       flat.units[units[stage].back()].name, loads[stage].ns, formatBytes(loads[stage].bytes()));
    if (stage > 0)
      remark::passed(loc, named("Cut", model)) << remark::add(
          "cut before '{0}': the slowest rank takes {1} ns; cut one unit earlier: {2}; one later: {3}",
          flat.units[first].name, answer.slowestNs, describeMoved(problem, answer, units[stage - 1].back(), stage),
          describeMoved(problem, answer, first, stage - 1));
  }
}

void plc::plan::remarkRecomputation(ein::ModelOp model, const FlatProgram &flat, const planner::RematProblem &problem,
                                    const planner::Remat &answer) {
  if (!llvm::is_contained(answer.cloned, true))
    return;
  int64_t bytes = problem.keptBytes(answer);
  remark::passed(model.getLoc(), named("Recomputed", model))
      << remark::add("a micro-batch keeps {0}, of which {1} cannot be discarded, and computes again for {2} ns, "
                     "where keeping as little takes at least {3} ns",
                     formatBytes(bytes), formatBytes(problem.boundKeptBytes()), problem.recomputeNs(answer),
                     problem.boundRecomputeNs(bytes));
  int64_t index = -1;
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F)
      continue;
    ++index;
    int64_t kept = 0, discarded = 0;
    for (int64_t value : call.results)
      (answer.kept[value] ? kept : discarded) += problem.values[value].bytes;
    if (answer.cloned[index])
      remark::passed(call.loc, named("Discarded", model)) << remark::add(
          "'{0}' of '{1}' discards {2} and is computed again for {3} ns", KernelOp(call.kernel).getSymName(),
          call.path.getValue(), formatBytes(discarded), problem.calls[index].ns);
    else if (kept)
      remark::missed(call.loc, named("Kept", model)) << remark::add(
          "'{0}' of '{1}' keeps {2}: {3}", KernelOp(call.kernel).getSymName(), call.path.getValue(), formatBytes(kept),
          problem.calls[index].segment < 0 ? "no segment holds it" : "a segment starts from it");
  }
}

//===- Spec.cpp - plan specs as operations and as data --------------------===//
#include "Spec.h"

#include "plc/Planner/Schedule/TaskRows.h"
#include "plc/Search/StageTasks.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using search::PlanSpec, search::Recompute, search::Workload;

namespace {

/// The forward calls, in program order.
std::vector<int32_t> forwardCalls(const Workload &workload) {
  std::vector<int32_t> calls;
  for (auto [index, call] : llvm::enumerate(workload.calls))
    if (call.kind == search::TaskKind::F)
      calls.push_back(index);
  return calls;
}

/// What the forward calls make, in program order.
std::vector<int32_t> forwardValues(const Workload &workload) {
  std::vector<int32_t> values;
  for (const search::Call &call : workload.calls)
    if (call.kind == search::TaskKind::F)
      values.insert(values.end(), call.makes.begin(), call.makes.end());
  return values;
}

/// An error of a spec, which a strategy may have given.
InFlightDiagnostic wrong(SpecOp spec, const char *text) { return withKey(spec.emitOpError(text), planKey); }

template <typename List>
SmallVector<int64_t> wide(const List &list) {
  return SmallVector<int64_t>(list.begin(), list.end());
}

} // namespace

SpecOp plc::plan::specOf(ModuleOp module, StringRef model) {
  for (auto spec : module.getOps<SpecOp>())
    if (spec.getModel() == model)
      return spec;
  return nullptr;
}

SpecOp plc::plan::createSpec(ein::ModelOp model, const Workload &workload, const PlanSpec &plan) {
  OpBuilder builder(model.getContext());
  builder.setInsertionPointAfter(model);
  SmallVector<int64_t> full, saved, again[4]; // by Recompute
  for (auto [unit, isFull] : llvm::enumerate(plan.fullBackward))
    if (isFull)
      full.push_back(unit);
  // The spec numbers calls and values among those of F.
  for (auto [number, call] : llvm::enumerate(forwardCalls(workload)))
    if (!plan.recompute.empty())
      again[int(plan.recompute[call])].push_back(number);
  for (auto [number, value] : llvm::enumerate(forwardValues(workload)))
    if (plan.saves(value))
      saved.push_back(number);
  search::StageBodies bodies = search::bodiesOf(workload, plan);
  SmallVector<Attribute> rows;
  for (const std::vector<search::Task> &row : plan.order) {
    std::vector<planner::ScheduledTask> tasks;
    // The search orders all three tasks of every stage; the IR has only tasks with calls.
    for (const search::Task &task : row)
      if (!bodies.bodies[task.stage][int(task.kind)].empty())
        tasks.push_back({task.stage, task.kind, task.microBatch});
    rows.push_back(builder.getStringAttr(planner::writeTasks(tasks)));
  }
  const std::optional<search::Sharing> &sharing = workload.sharing;
  return SpecOp::create(builder, model.getLoc(), model.getSymName(), wide(sharing ? sharing->cut : plan.stageOf),
                        wide(sharing ? sharing->groupOf : plan.rankOf), full, again[1], again[2], again[3], saved,
                        builder.getArrayAttr(rows), plan.replicas, sharing ? sharing->shards : 1);
}

std::optional<search::Sharing> plc::plan::sharingOf(SpecOp spec) {
  if (spec.getShards() == 1)
    return std::nullopt;
  search::Sharing sharing{int64_t(spec.getShards())};
  sharing.cut.assign(spec.getCut().begin(), spec.getCut().end());
  sharing.groupOf.assign(spec.getRanks().begin(), spec.getRanks().end());
  return sharing;
}

LogicalResult plc::plan::checkUnits(SpecOp spec, const FlatProgram &flat) {
  if (spec.getCut().size() == flat.units.size())
    return success();
  return wrong(spec, "cuts ") << spec.getCut().size() << " units but model '" << spec.getModel() << "' has "
                              << flat.units.size();
}

FailureOr<PlanSpec> plc::plan::readSpec(SpecOp spec, const Workload &workload) {
  PlanSpec plan;
  plan.replicas = spec.getReplicas();
  // The stages of shared ranks follow from the division, so the spec holds only the pipeline's cut.
  if (workload.sharing) {
    plan.stageOf = workload.sharing->stageOf;
    plan.rankOf = workload.sharing->rankOf;
  } else {
    plan.stageOf.assign(spec.getCut().begin(), spec.getCut().end());
    plan.rankOf.assign(spec.getRanks().begin(), spec.getRanks().end());
  }
  plan.fullBackward.assign(workload.units.size(), false);
  for (int64_t unit : spec.getFull()) {
    if (unit >= int64_t(workload.units.size()))
      return wrong(spec, "has a full backward of unit ") << unit << " but there are " << workload.units.size();
    plan.fullBackward[unit] = true;
  }
  std::vector<int32_t> calls = forwardCalls(workload);
  plan.recompute.assign(workload.calls.size(), Recompute::no);
  for (auto [kind, numbers] : {std::pair(Recompute::once, spec.getOnce()),
                               {Recompute::perUnit, spec.getEach()},
                               {Recompute::perCall, spec.getAlways()}})
    for (int64_t number : numbers) {
      if (number >= int64_t(calls.size()))
        return wrong(spec, "recomputes forward call ") << number << " but there are " << calls.size();
      // A spec may come from a user's strategy, so nothing about it is trusted.
      if (!workload.calls[calls[number]].mayRecompute)
        return wrong(spec, "recomputes forward call ")
               << number << ", which makes an output, changes a state, or is of a layer that saves what it makes";
      plan.recompute[calls[number]] = kind;
    }
  std::vector<int32_t> values = forwardValues(workload);
  plan.saved.assign(workload.values.size(), false);
  for (int64_t number : spec.getSaved()) {
    if (number >= int64_t(values.size()))
      return wrong(spec, "saves forward value ") << number << " but there are " << values.size();
    plan.saved[values[number]] = true;
  }
  // Rows are well formed: the verifier of the operation has read them.
  for (StringRef row : spec.getOrder().getAsValueRange<StringAttr>()) {
    std::vector<search::Task> &tasks = plan.order.emplace_back();
    std::optional<std::vector<planner::ScheduledTask>> read = planner::readTasks(row); // must outlive the loop
    for (const planner::ScheduledTask &task : *read)
      tasks.push_back({int32_t(task.stage), task.kind, int32_t(task.microBatch)});
  }
  return plan;
}

void plc::plan::applyRecomputation(const Workload &workload, const PlanSpec &plan, FlatProgram &flat) {
  std::vector<int64_t> number(workload.calls.size(), -1); // among the forward calls
  for (auto [index, call] : llvm::enumerate(forwardCalls(workload)))
    number[call] = index;
  std::vector<bool> isCloned(workload.calls.size());
  std::vector<int32_t> numberOf; // of each value, in the workload
  for (int32_t next = 0; const FlatValue &value : flat.values)
    numberOf.push_back(value.origin == FlatValue::Result ? next++ : -1);
  // Bodies have each clone before the call that needs it. The flat program has it as a list on that call.
  for (const auto &stage : search::bodiesOf(workload, plan).bodies)
    for (const std::vector<search::BodyCall> &body : stage) {
      std::vector<int64_t> clones; // before the next call
      for (search::BodyCall each : body) {
        if (each.isClone) {
          clones.push_back(number[each.call]);
          isCloned[each.call] = true;
        } else {
          flat.calls[each.call].again = std::move(clones);
          clones.clear();
        }
      }
    }
  // A call without a clone discards nothing, also if the plan would let it run again.
  for (size_t call = 0; call < isCloned.size(); ++call)
    for (size_t result = 0; isCloned[call] && result < flat.calls[call].results.size(); ++result)
      if (!plan.saves(numberOf[flat.calls[call].results[result]]))
        flat.calls[call].discard.push_back(result);
  joinBackward(flat, [&](int64_t unit) { return bool(plan.fullBackward[unit]); });
}

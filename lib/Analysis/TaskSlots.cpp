//===- TaskSlots.cpp - memory slots of tasks ------------------------------===//
#include "plc/Analysis/TaskSlots.h"

#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc::plan;

namespace {

// The original result for each result of a recomputing clone.
llvm::DenseMap<Value, Value> originalsOf(ProgramOp program) {
  llvm::DenseMap<Value, Value> originals;
  Originals calls;
  for (auto stage : program.getBody().getOps<StageOp>())
    stage.walk([&](plan::CallOp clone) {
      plan::CallOp repeated = clone.getRecompute() ? calls.of(clone) : nullptr;
      if (repeated && repeated.getNumResults() == clone.getNumResults())
        for (auto [result, original] : llvm::zip(clone.getResults(), repeated.getResults()))
          originals[result] = original;
    });
  return originals;
}

} // namespace

TaskSlots::TaskSlots(Operation *program, AnalysisManager &analyses)
    : TaskSlots(cast<ProgramOp>(program), analyses.getAnalysis<RouteTable>()) {}

TaskSlots::TaskSlots(ProgramOp program, const RouteTable &routes)
    : routes(routes), resolver(routes), originals(originalsOf(program)) {}

ArrayRef<Value> TaskSlots::of(TaskOp task) {
  auto [it, inserted] = slots.try_emplace(task);
  if (!inserted)
    return it->second;
  llvm::SetVector<Value> found;
  auto add = [&](Value value) {
    Value resolved = resolve(value);
    if (!isPersistent(resolved))
      found.insert(resolved);
  };
  for (auto call : task.getBody().getOps<plan::CallOp>()) {
    llvm::for_each(call.getArgs(), add);
    llvm::for_each(call.getResults(), add);
  }
  it->second.assign(found.begin(), found.end());
  return it->second;
}

Value TaskSlots::valueIn(bool keeps, Value slot) const {
  Value original = keeps ? originals.lookup(slot) : nullptr;
  return original ? original : slot;
}

plan::CallOp Originals::of(plan::CallOp clone) {
  auto stage = clone->getParentOfType<StageOp>();
  auto [it, isNew] = forward.try_emplace(stage);
  if (TaskOp task = isNew ? stage.getTask(Role::F) : nullptr)
    llvm::append_range(it->second, task.getBody().getOps<plan::CallOp>());
  int64_t index = clone.getRecompute()->getOriginal();
  return index >= 0 && index < int64_t(it->second.size()) ? it->second[index] : nullptr;
}

llvm::DenseMap<Value, OutputOp> plc::plan::outputsOf(ProgramOp program, const RouteTable &routes,
                                                     std::optional<int64_t> rank) {
  llvm::DenseMap<Value, OutputOp> outputs;
  for (auto stage : program.getBody().getOps<StageOp>())
    if (!rank || int64_t(stage.getRank()) == *rank)
      for (auto output : stage.getBody().getOps<OutputOp>())
        outputs[routes.resolve(output.getValue())] = output;
  return outputs;
}

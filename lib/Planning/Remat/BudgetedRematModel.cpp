//===- BudgetedRematModel.cpp - stages as problems with a budget --------------===//
#include "BudgetedRematModel.h"

#include "Addresses/PersistentBuffers.h"

#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::BudgetedRemat;
using planner::BudgetedRematProblem;
using planner::TaskKind;

namespace {

// The call's result behind a task's result. A clone's result stands for its original's.
Value insideTask(Originals &originals, Value value) {
  while (auto task = value.getDefiningOp<TaskOp>())
    value = task.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  if (auto clone = value.getDefiningOp<CallOp>(); clone && clone.getRecompute())
    if (CallOp original = originals.of(clone))
      return original.getResult(cast<OpResult>(value).getResultNumber());
  return value;
}

// Whether a value arrives from another stage for the same micro-batch, as a pop, or as a result before routes exist.
bool isReceived(Value value) {
  if (auto pop = value.getDefiningOp<PopOp>())
    return !pop.getInto();
  return isa<StageOp>(value.getDefiningOp());
}

// Values that leave the stage: as outputs of the program, or else over routes and to other stages.
llvm::SetVector<Value> usedOutside(Originals &originals, StageOp stage, bool asOutput) {
  llvm::SetVector<Value> values;
  for (Operation &op : stage.getBody().front()) {
    if (auto output = dyn_cast<OutputOp>(op); output && asOutput)
      values.insert(insideTask(originals, output.getValue()));
    if (isa<StashOp, YieldOp>(op) && !asOutput)
      for (Value operand : op.getOperands())
        values.insert(insideTask(originals, operand));
  }
  return values;
}

} // namespace

BudgetedRematContext::BudgetedRematContext(ProgramOp program, ArrayRef<std::string> keepKinds)
    : program(program), kernels(program->getParentOfType<ModuleOp>()), keepKinds(keepKinds),
      stages(stagesByRank(program)) {
  for (auto layer : program.getBody().getOps<LayerOp>())
    kinds[layer.getPath()] = layer.getKind();
}

KernelOp BudgetedRematContext::kernelOf(CallOp call) const {
  return kernels.lookup<KernelOp>(call.getKernelAttr().getAttr());
}

bool BudgetedRematContext::keeps(CallOp call) const {
  return !keepKinds.empty() && llvm::is_contained(keepKinds, kinds.lookup(call.getPath()));
}

int64_t BudgetedRematContext::persistentBytes(int64_t rank) {
  auto [it, isNew] = buffers.try_emplace(rank);
  if (isNew)
    it->second = persistentBytesOf(program, stages[rank]);
  return it->second;
}

StageRemat::StageRemat(BudgetedRematContext &context, StageOp stage, int64_t inFlight) {
  // Outputs are numbered first: a later `add` with bytes finds them and does not change their size.
  for (Value output : usedOutside(context.originals, stage, /*asOutput=*/true))
    add(output, 0); // an output has a persistent buffer, so it takes no other bytes
  for (auto task : stage.getBody().getOps<TaskOp>())
    if (task.getRole() != Role::P) // results of P are persistent
      addTask(context, task);
  problem.persistentBytes = context.persistentBytes(stage.getRank());
  problem.inFlight = inFlight;
  // Clones stand in B and W only: a clone in F would shift the indices by which calls are named.
  problem.firstClone = problem.firstBackward();
}

int64_t StageRemat::add(Value value, int64_t bytes) {
  auto [it, inserted] = numbers.try_emplace(value, problem.bytes.size());
  if (inserted)
    problem.bytes.push_back(bytes);
  return it->second;
}

void StageRemat::addTask(BudgetedRematContext &context, TaskOp task) {
  auto kind = TaskKind(task.getRole());
  // A pseudo call that makes the values that this task is the first to receive.
  BudgetedRematProblem::Call receive{kind, /*ns=*/0, /*scratchBytes=*/0, /*repeatable=*/false};
  // Received bytes are live from the message on, so they are made before the task's first call.
  for (auto call : task.getBody().getOps<CallOp>())
    for (Value operand : call.getArgs())
      if (Value value = insideTask(context.originals, operand); isReceived(value) && !numbers.contains(value))
        receive.results.push_back(add(value, roundUpToAlignment(byteSize(value.getType()))));
  if (!receive.results.empty())
    problem.calls.push_back(receive);
  for (auto call : task.getBody().getOps<CallOp>())
    call.getRecompute() ? addClone(context, call) : addCall(context, call, kind);
  BudgetedRematProblem::Call send{kind, /*ns=*/0, /*scratchBytes=*/0, /*repeatable=*/false};
  // Values that leave stay live to the end of the task that makes them.
  for (Value value : usedOutside(context.originals, cast<StageOp>(task->getParentOp()), /*asOutput=*/false))
    if (auto maker = value.getDefiningOp<CallOp>(); maker && maker->getParentOp() == task)
      send.args.push_back(numbers.lookup(value));
  if (!send.args.empty())
    problem.calls.push_back(send);
}

void StageRemat::addCall(BudgetedRematContext &context, CallOp op, TaskKind kind) {
  BudgetedRematProblem::Call call{kind};
  auto kernel = context.kernelOf(op);
  call.ns = kernel ? kernel.getNs() : 0;
  for (Value operand : op.getArgs())
    if (auto it = numbers.find(insideTask(context.originals, operand)); it != numbers.end())
      call.args.push_back(it->second);
  // Accumulators return their site, which is persistent, so these results make no value.
  int64_t made = op.getNumResults() - (kernel ? kernel.getNumAccumulators() : 0);
  for (Value result : op.getResults().take_front(made))
    call.results.push_back(add(result, roundUpToAlignment(byteSize(result.getType()))));
  // A clone must have the original's effect again: no accumulation, no output, no layer whose values are kept.
  call.repeatable = kernel && kind == TaskKind::F && kernel.getNumAccumulators() == 0 &&
                    llvm::all_of(call.results, [&](int64_t value) { return problem.bytes[value] > 0; }) &&
                    !context.keeps(op);
  numberOf[op] = problem.calls.size();
  problem.calls.push_back(std::move(call));
}

// Places the clone before the call that is added next.
void StageRemat::addClone(BudgetedRematContext &context, CallOp clone) {
  CallOp original = context.originals.of(clone);
  if (auto it = original ? numberOf.find(original) : numberOf.end(); it != numberOf.end())
    clones.clones.push_back({it->second, int64_t(problem.calls.size())});
}

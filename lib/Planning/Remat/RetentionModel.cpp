//===- RetentionModel.cpp - a stage as a problem of retention -------------===//
#include "RetentionModel.h"

#include "Addresses/Statics.h"

#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::Retention;
using planner::RetentionProblem;
using planner::TaskKind;

namespace {

// What a result of a task is inside it; of a clone, what its original makes.
Value insideTask(Originals &originals, Value value) {
  while (auto task = value.getDefiningOp<TaskOp>())
    value = task.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  if (auto clone = value.getDefiningOp<CallOp>(); clone && clone.getRecompute())
    if (CallOp original = originals.of(clone))
      return original.getResult(cast<OpResult>(value).getResultNumber());
  return value;
}

// Of another stage, for the same micro-batch.
bool isReceived(Value value) {
  if (auto pop = value.getDefiningOp<PopOp>())
    return !pop.getInto();
  return isa<StageOp>(value.getDefiningOp());
}

// Values of the stage that others use, or the program as its outputs.
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

RetentionContext::RetentionContext(ProgramOp program, ArrayRef<std::string> keepKinds)
    : program(program), kernels(program->getParentOfType<ModuleOp>()), keepKinds(keepKinds),
      stages(stagesByRank(program)) {
  for (auto layer : program.getBody().getOps<LayerOp>())
    kinds[layer.getPath()] = layer.getKind();
}

KernelOp RetentionContext::kernelOf(CallOp call) const {
  return kernels.lookup<KernelOp>(call.getKernelAttr().getAttr());
}

bool RetentionContext::keeps(CallOp call) const {
  return !keepKinds.empty() && llvm::is_contained(keepKinds, kinds.lookup(call.getPath()));
}

int64_t RetentionContext::staticBytes(int64_t rank) {
  auto [it, isNew] = statics.try_emplace(rank);
  if (isNew)
    it->second = staticBytesOf(program, stages[rank]);
  return it->second;
}

StageRetention::StageRetention(RetentionContext &context, StageOp stage, int64_t inFlight) {
  for (Value output : usedOutside(context.originals, stage, /*asOutput=*/true))
    add(output, 0); // in its static place
  for (auto task : stage.getBody().getOps<TaskOp>())
    if (task.getRole() != Role::P) // whose results are static
      addTask(context, task);
  problem.staticBytes = context.staticBytes(stage.getRank());
  problem.inFlight = inFlight;
  problem.firstClone = problem.firstBackward();
}

int64_t StageRetention::add(Value value, int64_t bytes) {
  auto [it, inserted] = numbers.try_emplace(value, problem.bytes.size());
  if (inserted)
    problem.bytes.push_back(bytes);
  return it->second;
}

void StageRetention::addTask(RetentionContext &context, TaskOp task) {
  auto kind = TaskKind(task.getRole());
  // What no earlier task has received.
  RetentionProblem::Call receive{kind, /*ns=*/0, /*scratchBytes=*/0, /*repeatable=*/false};
  for (auto call : task.getBody().getOps<CallOp>())
    for (Value operand : call.getArgs())
      if (Value value = insideTask(context.originals, operand); isReceived(value) && !numbers.contains(value))
        receive.results.push_back(add(value, roundUpPlace(byteSize(value.getType()))));
  if (!receive.results.empty())
    problem.calls.push_back(receive);
  for (auto call : task.getBody().getOps<CallOp>())
    call.getRecompute() ? addClone(context, call) : addCall(context, call, kind);
  RetentionProblem::Call send{kind, /*ns=*/0, /*scratchBytes=*/0, /*repeatable=*/false};
  for (Value value : usedOutside(context.originals, cast<StageOp>(task->getParentOp()), /*asOutput=*/false))
    if (auto maker = value.getDefiningOp<CallOp>(); maker && maker->getParentOp() == task)
      send.args.push_back(numbers.lookup(value));
  if (!send.args.empty())
    problem.calls.push_back(send);
}

void StageRetention::addCall(RetentionContext &context, CallOp op, TaskKind kind) {
  RetentionProblem::Call call{kind};
  auto kernel = context.kernelOf(op);
  call.ns = kernel ? kernel.getNs() : 0;
  for (Value operand : op.getArgs())
    if (auto it = numbers.find(insideTask(context.originals, operand)); it != numbers.end())
      call.args.push_back(it->second);
  // An accumulator's result is its site.
  int64_t made = op.getNumResults() - (kernel ? kernel.getNumAccumulators() : 0);
  for (Value result : op.getResults().take_front(made))
    call.results.push_back(add(result, roundUpPlace(byteSize(result.getType()))));
  call.repeatable = kernel && kind == TaskKind::F && kernel.getNumAccumulators() == 0 &&
                    llvm::all_of(call.results, [&](int64_t value) { return problem.bytes[value] > 0; }) &&
                    !context.keeps(op);
  numberOf[op] = problem.calls.size();
  problem.calls.push_back(std::move(call));
}

// Stands before the next call that is added.
void StageRetention::addClone(RetentionContext &context, CallOp clone) {
  CallOp original = context.originals.of(clone);
  if (auto it = original ? numberOf.find(original) : numberOf.end(); it != numberOf.end())
    clones.clones.push_back({it->second, int64_t(problem.calls.size())});
}

//===- CloneCalls.cpp - compute values again in B and W -------------------===//
#include "CloneCalls.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// The call's result behind a value of a stage: a task's result is the result of one of its calls.
Value insideStage(Value value) {
  while (auto task = value.getDefiningOp<TaskOp>())
    value = task.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

// Clones the calls of one stage in these steps: let calls read each other past task results, insert clones in order,
// and give each task the results that others still read.
class StageCloner {
public:
  StageCloner(StageOp stage, int64_t &nextId) : stage(stage), nextId(nextId), builder(stage.getContext()) {
    if (TaskOp forward = stage.getTask(Role::F))
      llvm::append_range(calls, forward.getBody().getOps<CallOp>());
    for (auto [index, call] : llvm::enumerate(calls))
      indices[call] = index; // `again` and `recompute` name a call of F by its index
    clones.resize(calls.size());
  }

  void run() {
    bool isPlaced =
        stage.walk([](CallOp call) { return call.getAgain() ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (!isPlaced)
      return;
    // Which values leave a task changes with the clones, so the results of tasks are taken apart and made anew.
    bypassTaskResults();
    for (auto task : stage.getBody().getOps<TaskOp>())
      if (task.getRole() != Role::F)
        cloneIn(task);
    for (auto task : llvm::to_vector(stage.getBody().getOps<TaskOp>()))
      yieldWhatIsUsed(task);
    addCheckpoints();
  }

private:
  void cloneIn(TaskOp task) {
    // In the order of calls, so that `clones` always has the last run before the call at hand.
    for (auto call : llvm::to_vector(task.getBody().getOps<CallOp>())) {
      builder.setInsertionPoint(call);
      for (int64_t index : call.getAgain().value_or(ArrayRef<int64_t>())) {
        auto copy = cast<CallOp>(builder.clone(*calls[index]));
        copy.removeDiscardAttr(); // nothing is left to discard: the clone's readers are in this task or in a later one
        copy.setRecomputeAttr(CloneAttr::get(builder.getContext(), index, nextId++));
        readLast(copy);
        clones[index] = copy;
      }
      call.removeAgainAttr();
      readLast(call);
    }
  }

  // The last clone's result stands for what its original discards. Saved results are read where they are.
  void readLast(CallOp call) {
    for (OpOperand &operand : call->getOpOperands()) {
      auto made = dyn_cast<OpResult>(operand.get());
      auto index = made ? indices.find(made.getOwner()) : indices.end();
      if (index != indices.end() && clones[index->second] &&
          llvm::is_contained(calls[index->second].getDiscard().value_or(ArrayRef<int64_t>()), made.getResultNumber()))
        operand.set(clones[index->second].getResult(made.getResultNumber()));
    }
  }

  // Until `yieldWhatIsUsed`, calls use the results of other tasks' calls directly, across regions.
  void bypassTaskResults() {
    for (auto task : stage.getBody().getOps<TaskOp>())
      for (OpResult result : task.getResults())
        result.replaceAllUsesWith(insideStage(result));
  }

  // Makes exactly those results of calls the results of their task that other tasks or the stage use, in the order of
  // calls. An operation cannot change its results, so the body moves to a new task.
  void yieldWhatIsUsed(TaskOp task) {
    SmallVector<Value> used;
    auto isOutside = [&](Operation *user) { return !task->isProperAncestor(user); };
    for (auto call : task.getBody().getOps<CallOp>())
      for (Value result : call.getResults())
        if (llvm::any_of(result.getUsers(), isOutside))
          used.push_back(result);
    builder.setInsertionPoint(task);
    auto bare = TaskOp::create(builder, task.getLoc(), ValueRange(used).getTypes(), task.getRole());
    bare.getBody().takeBody(task.getBody());
    for (auto [value, result] : llvm::zip(used, bare.getResults()))
      value.replaceUsesWithIf(result, [&](OpOperand &use) { return !bare->isProperAncestor(use.getOwner()); });
    bare.getBody().front().getTerminator()->setOperands(used);
    task.erase();
  }

  void addCheckpoints() {
    TaskOp forward = stage.getTask(Role::F);
    builder.setInsertionPointAfter(forward);
    for (OpResult result : forward.getResults())
      if (llvm::any_of(result.getUsers(), [](Operation *user) { return isa<CallOp>(user); }))
        CheckpointOp::create(builder, forward.getLoc(), result);
  }

  StageOp stage;
  std::vector<CallOp> calls;              // of F
  DenseMap<Operation *, int64_t> indices; // among them
  std::vector<CallOp> clones;             // by call of F: its last clone so far
  int64_t &nextId;
  OpBuilder builder;
};

} // namespace

void plc::plan::cloneCalls(StageOp stage, int64_t &nextId) { StageCloner(stage, nextId).run(); }

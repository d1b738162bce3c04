//===- CloneCalls.cpp - compute values again in B and W -------------------===//
#include "CloneCalls.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// What a value inside a stage is there: a result of a task is the result of one of its calls.
Value insideStage(Value value) {
  while (auto task = value.getDefiningOp<TaskOp>())
    value = task.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

class StageCloner {
public:
  StageCloner(StageOp stage, int64_t &nextId) : stage(stage), nextId(nextId), builder(stage.getContext()) {
    if (TaskOp forward = stage.getTask(Role::F))
      llvm::append_range(calls, forward.getBody().getOps<CallOp>());
    for (auto [place, call] : llvm::enumerate(calls))
      places[call] = place;
    clones.resize(calls.size());
  }

  void run() {
    if (!isPlaced() && llvm::none_of(calls, [](CallOp call) { return call.getDiscard().has_value(); }))
      return;
    bypassTaskResults();
    isPlaced() ? cloneAsPlaced() : cloneBeforeFirstUses();
    for (auto task : llvm::to_vector(stage.getBody().getOps<TaskOp>()))
      yieldWhatIsUsed(task);
    addCheckpoints();
  }

private:
  bool isPlaced() {
    return stage.walk([](CallOp call) { return call.getAgain() ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  void cloneAsPlaced() {
    // The last run's values stand for the original's, also where those are kept.
    auto readLast = [&](CallOp call) {
      for (OpOperand &operand : call->getOpOperands()) {
        auto made = dyn_cast<OpResult>(operand.get());
        auto place = made ? places.find(made.getOwner()) : places.end();
        if (place != places.end() && clones[place->second])
          operand.set(clones[place->second].getResult(made.getResultNumber()));
      }
    };
    for (auto task : stage.getBody().getOps<TaskOp>()) {
      if (task.getRole() == Role::F)
        continue;
      for (auto call : llvm::to_vector(task.getBody().getOps<CallOp>())) {
        builder.setInsertionPoint(call);
        for (int64_t place : call.getAgain().value_or(ArrayRef<int64_t>())) {
          CallOp copy = copyOf(place);
          readLast(copy);
          clones[place] = copy;
        }
        call.removeAgainAttr();
        readLast(call);
      }
    }
  }

  void cloneBeforeFirstUses() {
    TaskOp backward = stage.getTask(Role::B);
    std::vector<bool> inB = backward ? needs(backward) : std::vector<bool>(calls.size());
    for (size_t call = 0; call < calls.size(); ++call)
      if (backward && calls[call].getDiscard() && !inB[call])
        deferred.push_back(call);
    for (auto task : llvm::to_vector(stage.getBody().getOps<TaskOp>()))
      if (task.getRole() != Role::F)
        rewrite(task);
  }

  // Until `yieldWhatIsUsed`, calls use the results of other tasks' calls directly.
  void bypassTaskResults() {
    for (auto task : stage.getBody().getOps<TaskOp>())
      for (OpResult result : task.getResults())
        result.replaceAllUsesWith(insideStage(result));
  }

  // The call of F that makes a value and discards it; -1 for others.
  int64_t clonedMaker(Value value) {
    auto made = cast<OpResult>(value);
    auto call = dyn_cast<CallOp>(made.getOwner());
    auto place = call ? places.find(call) : places.end();
    bool discarded = place != places.end() &&
                     llvm::is_contained(call.getDiscard().value_or(ArrayRef<int64_t>()), made.getResultNumber());
    return discarded ? place->second : -1;
  }

  // The calls that must be repeated for `first`, of those that `skip` does not hold, in F's order.
  template <typename Skip>
  std::vector<int64_t> chainOf(SmallVector<int64_t> open, Skip skip) {
    llvm::SmallSetVector<int64_t, 16> chain;
    while (!open.empty()) {
      int64_t call = open.pop_back_val();
      if (skip(call) || !chain.insert(call))
        continue;
      for (Value operand : calls[call].getArgs())
        if (int64_t maker = clonedMaker(operand); maker >= 0)
          open.push_back(maker);
    }
    std::vector<int64_t> sorted(chain.begin(), chain.end());
    llvm::sort(sorted);
    return sorted;
  }

  SmallVector<int64_t> makersFor(CallOp call) {
    SmallVector<int64_t> makers;
    for (Value operand : call.getArgs())
      if (int64_t maker = clonedMaker(operand); maker >= 0)
        makers.push_back(maker);
    return makers;
  }

  std::vector<bool> needs(TaskOp task) {
    std::vector<bool> needed(calls.size());
    for (auto call : task.getBody().getOps<CallOp>())
      for (int64_t each : chainOf(makersFor(call), [&](int64_t maker) { return needed[maker]; }))
        needed[each] = true;
    return needed;
  }

  void rewrite(TaskOp task) {
    for (auto call : llvm::to_vector(task.getBody().getOps<CallOp>())) {
      builder.setInsertionPoint(call);
      auto isThere = [&](int64_t maker) { return bool(clones[maker]); };
      std::vector<int64_t> chain = chainOf(makersFor(call), isThere);
      for (int64_t each : chain)
        clone(each);
      if (!chain.empty() && task.getRole() == Role::B)
        cloneDeferred();
      for (OpOperand &operand : call->getOpOperands())
        operand.set(recomputed(operand.get()));
    }
  }

  // What W alone needs, as soon as B has computed what it reads.
  void cloneDeferred() {
    llvm::erase_if(deferred, [&](int64_t call) {
      SmallVector<int64_t> makers = makersFor(calls[call]);
      bool ready = !makers.empty() && llvm::all_of(makers, [&](int64_t maker) { return bool(clones[maker]); });
      if (ready)
        clone(call);
      return ready;
    });
  }

  Value recomputed(Value value) {
    int64_t maker = clonedMaker(value);
    return maker < 0 ? value : clones[maker].getResult(cast<OpResult>(value).getResultNumber());
  }

  CallOp copyOf(int64_t place) {
    auto copy = cast<CallOp>(builder.clone(*calls[place]));
    copy.removeDiscardAttr();
    copy.setRecomputeAttr(CloneAttr::get(builder.getContext(), place, nextId++));
    return copy;
  }

  void clone(int64_t place) {
    CallOp copy = copyOf(place);
    for (OpOperand &operand : copy->getOpOperands())
      operand.set(recomputed(operand.get()));
    clones[place] = copy;
  }

  // Makes the results of a task those of its calls that others use, in the order of calls.
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
  std::vector<CallOp> calls;             // of F
  DenseMap<Operation *, int64_t> places; // among them
  std::vector<CallOp> clones;            // per call of F, the last
  std::vector<int64_t> deferred;         // calls that W alone needs, not cloned yet, in F's order
  int64_t &nextId;
  OpBuilder builder;
};

} // namespace

void plc::plan::cloneCalls(StageOp stage, int64_t &nextId) { StageCloner(stage, nextId).run(); }

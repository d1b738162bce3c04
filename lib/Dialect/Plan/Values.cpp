//===- Values.cpp - which memory a value of a program is ------------------===//
#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc::plan;

StashOp plc::plan::stashOf(RouteOp route) {
  auto source = SymbolTable::lookupNearestSymbolFrom<StageOp>(route->getParentOp(), route.getSourceAttr());
  for (auto stash : source.getBody().getOps<StashOp>())
    if (stash.getRoute() == route.getSymName())
      return stash;
  return nullptr;
}

PopOp plc::plan::popOf(RouteOp route) {
  auto destination = SymbolTable::lookupNearestSymbolFrom<StageOp>(route->getParentOp(), route.getDestinationAttr());
  for (auto pop : destination.getBody().getOps<PopOp>())
    if (pop.getRoute() == route.getSymName())
      return pop;
  return nullptr;
}

// The stashed value, if the pop is a handle move.
static Value movedFrom(PopOp pop) {
  auto stage = pop->getParentOfType<StageOp>();
  Operation *program = stage->getParentOp();
  auto route = SymbolTable::lookupNearestSymbolFrom<RouteOp>(program, pop.getRouteAttr());
  auto source = route ? SymbolTable::lookupNearestSymbolFrom<StageOp>(program, route.getSourceAttr()) : nullptr;
  if (!source || source.getRank() != stage.getRank())
    return nullptr;
  StashOp stash = stashOf(route);
  return stash ? stash.getValue() : nullptr;
}

// The accumulator whose memory is a result of a call: sites are used as accumulators alone, which are the last operands.
static Value accumulatorOf(OpResult result) {
  auto call = cast<CallOp>(result.getOwner());
  int64_t fromEnd = int64_t(call.getNumResults()) - result.getResultNumber();
  if (fromEnd > int64_t(call.getArgs().size()))
    return nullptr;
  Value operand;
  for (int64_t i = 1; i <= fromEnd; ++i) {
    operand = resolve(call.getArgs()[call.getArgs().size() - i]);
    if (!operand.getDefiningOp<SiteOp>())
      return nullptr;
  }
  return operand;
}

Value plc::plan::sameMemoryAs(Value value) {
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (isa<TaskOp, StageOp>(op))
    return op->getRegion(0).front().getTerminator()->getOperand(result.getResultNumber());
  if (isa<CallOp>(op))
    return accumulatorOf(result);
  if (auto pop = dyn_cast<PopOp>(op))
    return pop.getInto() ? Value(pop.getInto()) : movedFrom(pop);
  return nullptr;
}

Value plc::plan::resolve(Value value) {
  while (Value next = sameMemoryAs(value))
    value = next;
  return value;
}

bool plc::plan::isStatic(Value resolved) { return isa_and_nonnull<ParamOp, SiteOp>(resolved.getDefiningOp()); }

ArrayRef<Value> TaskSlots::of(TaskOp task) {
  auto [it, inserted] = known.try_emplace(task);
  if (!inserted)
    return it->second;
  llvm::SetVector<Value> slots;
  auto add = [&](Value value) {
    Value resolved = resolve(value);
    if (!isStatic(resolved))
      slots.insert(resolved);
  };
  for (auto call : task.getBody().getOps<CallOp>()) {
    llvm::for_each(call.getArgs(), add);
    llvm::for_each(call.getResults(), add);
  }
  it->second.assign(slots.begin(), slots.end());
  return it->second;
}

// The calls of a stage's F, in order.
static SmallVector<CallOp> forwardCalls(StageOp stage) {
  TaskOp forward = stage.getTask(Role::F);
  return forward ? llvm::to_vector(forward.getBody().getOps<CallOp>()) : SmallVector<CallOp>();
}

CallOp plc::plan::originalOf(CallOp clone) {
  SmallVector<CallOp> calls = forwardCalls(clone->getParentOfType<StageOp>());
  int64_t place = clone.getRecompute()->getOriginal();
  return place >= 0 && place < int64_t(calls.size()) ? calls[place] : nullptr;
}

llvm::DenseMap<Value, Value> plc::plan::originalsOf(ProgramOp program) {
  llvm::DenseMap<Value, Value> originals;
  for (auto stage : program.getBody().getOps<StageOp>()) {
    SmallVector<CallOp> calls = forwardCalls(stage);
    stage.walk([&](CallOp clone) {
      if (!clone.getRecompute())
        return;
      uint64_t place = clone.getRecompute()->getOriginal();
      if (place < calls.size() && calls[place].getNumResults() == clone.getNumResults())
        for (auto [result, original] : llvm::zip(clone.getResults(), calls[place].getResults()))
          originals[result] = original;
    });
  }
  return originals;
}

llvm::DenseMap<Value, OutputOp> plc::plan::outputsOf(ProgramOp program) {
  llvm::DenseMap<Value, OutputOp> outputs;
  for (auto stage : program.getBody().getOps<StageOp>())
    for (auto output : stage.getBody().getOps<OutputOp>())
      outputs[resolve(output.getValue())] = output;
  return outputs;
}

int64_t plc::plan::byteSize(Type type) { return byteSizeOf(cast<RankedTensorType>(type)); }

int64_t plc::plan::byteSize(ProgramOp program, Type type, int64_t mb) {
  return byteSize(program.getCut().typeIn(mb, type));
}

int64_t plc::plan::bytesBefore(ProgramOp program, Type type, int64_t mb) {
  return program.getCut().elementsBefore(mb, type) * int64_t(byteWidth(elementTypeOf(type)));
}

//===- Lives.cpp - lifetimes of single values -----------------------------===//
#include "Lives.h"

#include "plc/Dialect/Plan/Values.h"

using namespace mlir;
using namespace plc::plan;

Lives::Lives(RankOp rank, TaskSlots &slots, const PersistentBuffers &buffers) : slots(slots), buffers(buffers) {
  for (Operation &op : rank.getBody().front()) {
    // A drop needs no time: it takes effect between two moments.
    if (!isa<DropOp>(op))
      tick(&op, nullptr);
    if (auto run = dyn_cast<RunOp>(op); run && !run.prepares())
      walkRun(run);
    else if (auto action = dyn_cast<ActionInterface>(op); action && action.getMessagePart())
      // A message holds its bytes from its post or send to its wait.
      touch(slots.resolve(slots.getRoutes().carried(action)), action.getMicroBatch());
    times[&op] = int64_t(moments.size()) - 1;
  }
}

void Lives::walkRun(RunOp run) {
  for (auto call : slots.getRoutes().taskOf(run).getBody().getOps<CallOp>()) {
    // A run that keeps leaves out the clones, and reads the original's value.
    if (run.getKeep() && call.getRecompute())
      continue;
    tick(run, call);
    for (Value operand : call.getArgs())
      touch(slots.valueIn(run.getKeep(), slots.resolve(operand)), run.getMb());
    for (Value result : call.getResults())
      touch(slots.resolve(result), run.getMb());
  }
}

void Lives::tick(Operation *action, CallOp call) { moments.push_back({action, call}); }

void Lives::touch(Value value, int64_t mb) {
  // Only values without a buffer need bytes for a time.
  if (isPersistent(value) || buffers.offsetOf(value, mb))
    return;
  int64_t time = int64_t(moments.size()) - 1;
  auto [it, inserted] = lives.try_emplace(Instance(value, mb), time, time + 1);
  it->second.second = time + 1;
}

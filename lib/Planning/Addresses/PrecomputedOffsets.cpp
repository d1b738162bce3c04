//===- PrecomputedOffsets.cpp - offsets of the temporaries of P ---------------===//
#include "PrecomputedOffsets.h"

#include "PersistentBuffers.h"

#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

// P runs once, so its temporaries are packed as one problem of its own.
planner::PackProblem plc::plan::slotsOfPrecompute(TaskOp task, TaskSlots &slots) {
  planner::PackProblem problem;
  problem.alignment = bufferAlignment;
  DenseMap<Value, size_t> numbers;
  for (Value slot : slots.of(task)) {
    numbers[slot] = problem.blocks.size();
    problem.blocks.push_back({byteSize(slot.getType()), -1, -1});
  }
  // Time is counted in calls; a slot lives from its first call to its last.
  for (auto [time, call] : llvm::enumerate(task.getBody().getOps<CallOp>()))
    for (auto values : {ValueRange(call.getArgs()), ValueRange(call.getResults())})
      for (Value value : values)
        if (auto slot = numbers.find(slots.resolve(value)); slot != numbers.end()) {
          planner::PackProblem::Block &block = problem.blocks[slot->second];
          block.begin = block.begin < 0 ? int64_t(time) : block.begin;
          block.end = int64_t(time) + 1;
        }
  return problem;
}

PrecomputedOffsets::PrecomputedOffsets(RankOp rank, TaskSlots &slots) {
  for (auto run : rank.getBody().getOps<RunOp>())
    if (run.prepares())
      prepares.push_back({run, slotsOfPrecompute(slots.getRoutes().taskOf(run), slots)});
}

planner::Status PrecomputedOffsets::pack(const planner::MemoryStrategyRow &strategy) {
  for (Prepare &each : prepares) {
    if (planner::Status fault = strategy.pack(each.problem, each.packing))
      return fault;
    // Several P of a rank run one after the other and share the bytes.
    bytes = std::max(bytes, each.packing.bytes);
    bound = std::max(bound, each.problem.bound());
  }
  return std::nullopt;
}

// The temporaries of P lie where the step's values will be, behind the persistent buffers, and are dropped before
// these.
void PrecomputedOffsets::write(int64_t persistentBytes) {
  for (Prepare &each : prepares) {
    SmallVector<int64_t> at;
    for (int64_t offset : each.packing.offsets)
      at.push_back(persistentBytes + offset);
    each.run.setAt(at);
    if (!each.packing.bytes) // without temporaries there is nothing to drop
      continue;
    OpBuilder builder(each.run->getContext());
    builder.setInsertionPointAfter(each.run);
    DropOp::create(builder, each.run.getLoc(), /*mb=*/-1, persistentBytes, each.packing.bytes);
  }
}

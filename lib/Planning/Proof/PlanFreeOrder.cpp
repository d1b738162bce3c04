//===- PlanFreeOrder.cpp - pairs of actions that must not swap ------------===//
#include "Addresses/PrecomputedOffsets.h"
#include "Addresses/RankOffsets.h"
#include "Base/Programs.h"
#include "FreeOrder.h"

#include "plc/Planner/Base/PartialOrder.h"
#include "plc/Planning/Passes.h"

#include <map>

namespace plc::plan {
#define GEN_PASS_DEF_PLANFREEORDER
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanFreeOrderPass : plc::plan::impl::PlanFreeOrderBase<PlanFreeOrderPass> {
  using PlanFreeOrderBase::PlanFreeOrderBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(order(program)))
        return signalPassFailure();
    markAnalysesPreserved<RouteTable, TaskSlots>();
  }

private:
  LogicalResult order(ProgramOp program) {
    if (failed(requireRoutes(program)) || failed(requireSchedule(program)) || failed(requireReplicas(program)))
      return failure();
    auto &slots = getChildAnalysis<TaskSlots>(program);
    if (failed(requireChannels(program, slots.getRoutes())))
      return failure();
    FailureOr<module::EntryPlan> table = buildActionTable(program, slots);
    if (failed(table))
      return failure();
    TableOfProgram both(*table, program, slots);
    // The pairs presuppose a right list, so these proofs come first.
    if (failed(proveShape(both)) || failed(proveRuns(both)) || failed(proveMessages(both)))
      return failure();
    if (shuffle)
      exchange(both);
    else
      for (auto [index, rank] : llvm::enumerate(both.ranks))
        // Only the transitive reduction is written: the runtime checks each pair.
        write(rank, planner::reduceOrder(table->ranks[index].actions.size(), neededOrder(both, index)));
    return success();
  }

  static void write(RankOp rank, const planner::Edges &edges) {
    std::vector<int64_t> pairs;
    for (auto [before, after] : edges)
      pairs.insert(pairs.end(), {after, before});
    rank.setAfter(pairs);
  }

  // Draws one order of the actions of all ranks that respects the pairs and the messages; each rank takes its part of
  // it. This tests the claim that any such order is right: `--plan-verify` then proves the drawn one.
  void exchange(TableOfProgram &both) {
    using Op = module::ActionInfo::Op;
    std::vector<ActionInterface> all;
    std::map<std::tuple<Op, int64_t, int64_t>, int64_t> messages;
    planner::Edges edges;
    for (auto [index, rank] : llvm::enumerate(both.table.ranks)) {
      int64_t first = all.size();
      for (auto [before, after] : neededOrder(both, index))
        edges.emplace_back(first + before, first + after);
      for (auto [number, action] : llvm::enumerate(rank.actions)) {
        if (action.isMessage())
          messages[{action.op, action.target, action.microBatch}] = all.size();
        all.push_back(both.actions[index][number]);
      }
    }
    // Waits follow the action of the other rank, so that the drawn order of all ranks has no deadlock.
    for (auto [key, end] : messages) {
      auto [op, channel, microBatch] = key;
      if (op == Op::WaitRecv)
        edges.emplace_back(messages.at({Op::Send, channel, microBatch}), end);
      if (op == Op::WaitSend)
        edges.emplace_back(messages.at({Op::PostRecv, channel, microBatch}), end);
    }
    for (int64_t number : planner::drawOrder(all.size(), edges, shuffle)) {
      Operation *action = all[number];
      action->moveBefore(action->getBlock(), action->getBlock()->end());
    }
    both.program.removeStepNsAttr(); // it was the step of the former list
    for (RankOp rank : both.ranks) {
      rank.removeAfterAttr();
      auto layout = *rank.getBody().getOps<LayoutOp>().begin();
      PersistentBuffers buffers(layout, both.routes());
      RankValues values(both.program, rank, both.slots, buffers, layout.getPersistentBytes());
      PrecomputedOffsets precomputed(rank, both.slots);
      // Lifetimes depend on the order, so what the layout says of them is made anew.
      layout.setExact(false);
      layout.setBoundBytes(std::max<int64_t>(values.bound(), layout.getPersistentBytes() + precomputed.getBound()));
    }
  }
};

} // namespace

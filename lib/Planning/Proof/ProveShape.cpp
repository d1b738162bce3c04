//===- ProveShape.cpp - a table and its program, one by one ---------------===//
#include "FreeOrder.h"

#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

TableOfProgram::TableOfProgram(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots)
    : table(table), program(program), slots(slots), ranks(program.getNumRanks()), stages(stagesByRank(program)),
      actions(program.getNumRanks()) {
  llvm::append_range(channels, program.getBody().getOps<ChannelOp>());
  for (auto stage : program.getBody().getOps<StageOp>()) {
    for (auto site : stage.getBody().getOps<SiteOp>())
      trained.insert(site.getParam());
    for (auto task : stage.getBody().getOps<TaskOp>()) {
      std::string name = (stage.getSymName() + "." + stringifyRole(task.getRole())).str();
      // Both forms exist for every task; the table lists those that are run.
      tasks[name] = {task, false};
      tasks[name + ".keep"] = {task, true};
    }
  }
  for (auto rank : program.getBody().getOps<RankOp>()) {
    ranks[rank.getIndex()] = rank;
    auto &list = actions[rank.getIndex()];
    list.reserve(size_t(rank.getIndex()) < table.ranks.size() ? table.ranks[rank.getIndex()].actions.size() : 0);
    for (auto action : rank.getBody().getOps<ActionInterface>())
      list.push_back(action);
  }
}

namespace {

ActionInfo::Op opOf(ActionInterface action) {
  if (isa<RunOp>(action.getOperation()))
    return ActionInfo::Op::Run;
  if (isa<DropOp>(action.getOperation()))
    return ActionInfo::Op::Drop;
  if (!action.getMessagePart())
    return ActionInfo::Op::Step;
  switch (*action.getMessagePart()) {
  case MessagePart::post: return ActionInfo::Op::PostRecv;
  case MessagePart::waitReceive: return ActionInfo::Op::WaitRecv;
  case MessagePart::send: return ActionInfo::Op::Send;
  case MessagePart::waitSend: return ActionInfo::Op::WaitSend;
  }
  llvm_unreachable("all parts are listed");
}

// Checks that the table's calls match the task's, with one operand for each value. `proveMemory` proves values and
// addresses.
LogicalResult proveCalls(TableOfProgram &both, RankOp op, const module::RankInfo &rank, const module::TaskInfo &made,
                         const llvm::StringMap<int64_t> &kernels) {
  auto found = both.tasks.find(made.name);
  if (found == both.tasks.end())
    return op.emitOpError("has task '") << made.name << "' in the action table but no stage has it";
  auto [task, keeps] = found->second;
  for (auto [number, slot] : llvm::enumerate(made.slots))
    if (slot.base < 0 || slot.base >= made.bases)
      return task.emitOpError("has slot ")
             << number << " behind base " << slot.base << " in the action table, where it has " << made.bases;
  // A run that keeps leaves out the clones.
  SmallVector<CallOp> calls;
  for (auto call : task.getBody().getOps<CallOp>())
    if (!(keeps && call.getRecompute()))
      calls.push_back(call);
  if (made.calls.size() != calls.size())
    return task.emitOpError("has ") << calls.size() << " calls but task '" << made.name << "' of the action table has "
                                    << made.calls.size();
  for (auto [call, expected] : llvm::zip(made.calls, calls)) {
    // A site is an argument and a result, but one operand.
    size_t operands = expected.getNumResults();
    for (Value operand : expected.getArgs().drop_back(both.routes().updatesState(expected)))
      operands += !both.slots.resolve(operand).getDefiningOp<SiteOp>();
    if (call.kernel != kernels.lookup(expected.getKernel()) || call.operands.size() != operands)
      return expected.emitOpError("of '")
             << expected.getKernel() << "' differs from the call of the action table, of kernel #" << call.kernel
             << " with " << call.operands.size() << " operands";
    // Negative operands name persistent buffers, all others slots of the task.
    for (int64_t operand : call.operands)
      if (operand >= int64_t(made.slots.size()) || operand < -int64_t(rank.buffers.size()))
        return expected.emitOpError("has operand ")
               << operand << " in the action table, which has " << rank.buffers.size() << " persistent buffers and "
               << made.slots.size() << " slots";
  }
  return success();
}

// Operations correspond one by one, so later proofs may report at the program's operation.
LogicalResult proveActions(TableOfProgram &both, RankOp op, const module::RankInfo &rank) {
  ArrayRef<ActionInterface> actions = both.actions[op.getIndex()];
  if (rank.actions.size() != actions.size())
    return op.emitOpError("has ") << actions.size() << " actions but the action table has " << rank.actions.size();
  for (auto [action, expected] : llvm::zip(rank.actions, actions)) {
    bool run = action.op == ActionInfo::Op::Run;
    size_t targets = run ? rank.tasks.size() : both.channels.size();
    bool known = (!run && !action.isMessage()) || (action.target >= 0 && size_t(action.target) < targets);
    if (action.op != opOf(expected) || !known || (run && int64_t(action.at.size()) != rank.tasks[action.target].bases))
      return expected->emitOpError("differs from its action in the action table");
  }
  return success();
}

LogicalResult proveChannels(TableOfProgram &both) {
  if (both.table.channels.size() != both.channels.size())
    return both.program.emitOpError("has ")
           << both.channels.size() << " channels but the action table has " << both.table.channels.size();
  int64_t last = int64_t(both.program.getMicroBatches()) - 1;
  for (auto [info, op] : llvm::zip(both.table.channels, both.channels)) {
    RouteOp route = both.routes().routeOf(op);
    int64_t source = both.routes().stage(route.getSource()).getRank();
    int64_t destination = both.routes().stage(route.getDestination()).getRank();
    if (info.source != source || info.destination != destination || info.bytes != carriedBytes(route, 0) ||
        info.shortBytes != carriedBytes(route, last) || info.perStep != (route.getPer() == Per::step))
      return op.emitOpError("differs from its channel in the action table, of ")
             << info.bytes << " bytes from rank " << info.source << " to " << info.destination;
  }
  return success();
}

} // namespace

LogicalResult plc::plan::proveShape(TableOfProgram &both) {
  if (both.table.microBatches != int64_t(both.program.getMicroBatches()) ||
      both.table.groups != int64_t(both.program.getAccumulationGroups()) ||
      both.table.replicas != int64_t(both.program.getReplicas()) || both.table.ranks.size() != both.ranks.size())
    return both.program.emitOpError("has ")
           << both.program.getMicroBatches() << " micro-batches on " << both.ranks.size()
           << " ranks (accumulation groups " << both.program.getAccumulationGroups() << ", replicas "
           << both.program.getReplicas() << ") but the action table has " << both.table.microBatches << " on "
           << both.table.ranks.size() << " (" << both.table.groups << ", " << both.table.replicas << ")";
  if (failed(proveChannels(both)))
    return failure();
  // The table numbers kernels in the order of the module.
  llvm::StringMap<int64_t> kernels;
  for (auto kernel : both.program->getParentOfType<ModuleOp>().getOps<KernelOp>())
    kernels.try_emplace(kernel.getSymName(), kernels.size());
  for (auto [op, rank] : llvm::zip(both.ranks, both.table.ranks)) {
    // A rank without an operation runs nothing: `proveRuns` reports its tasks.
    if (!op)
      continue;
    for (const module::TaskInfo &task : rank.tasks)
      if (failed(proveCalls(both, op, rank, task, kernels)))
        return failure();
    if (failed(proveActions(both, op, rank)))
      return failure();
  }
  return success();
}

LogicalResult plc::plan::proveActionTable(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots,
                                          int64_t limitBytes) {
  TableOfProgram both(table, program, slots);
  // Each proof relies on those before it.
  if (failed(proveClones(program, slots)) || failed(proveShape(both)) || failed(proveParameters(both)) ||
      failed(proveRuns(both)) || failed(proveMessages(both)) || failed(proveStates(both)))
    return failure();
  for (auto rank : program.getBody().getOps<RankOp>())
    if (failed(proveMemory(both, rank.getIndex(), limitBytes)))
      return failure();
  return proveFreeOrder(both);
}

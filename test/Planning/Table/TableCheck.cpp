//===- TableCheck.cpp - proofs of tables that are changed after they are made ===//
// table-check CHANGE: reads a planned program from the standard input, makes its action table, changes one thing in it,
// and proves it. Exit 0 if it is proven. The program stays as it was: what is found is found in the table.
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planning/Table/BuildActionTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <functional>
#include <map>

using namespace mlir;
using namespace plc;
using module::ActionInfo;
using module::EntryPlan;

static ActionInfo &firstOf(EntryPlan &table, ActionInfo::Op op) {
  for (module::RankInfo &rank : table.ranks)
    for (ActionInfo &action : rank.actions)
      if (action.op == op)
        return action;
  llvm::report_fatal_error("the table has no such action");
}

static module::CallInfo &firstCall(EntryPlan &table) { return table.ranks[0].tasks[0].calls[0]; }

static const std::map<std::string, std::function<void(EntryPlan &)>> changes = {
    {"nothing", [](EntryPlan &table) {}},
    // The same places, counted from elsewhere.
    {"base",
     [](EntryPlan &table) {
       for (module::SlotInfo &slot : table.ranks[0].tasks[0].slots)
         slot.offset += 576;
       for (ActionInfo &action : table.ranks[0].actions)
         if (action.op == ActionInfo::Op::Run && action.target == 0)
           for (int64_t &at : action.at)
             at -= 576;
     }},
    {"wrong-base", [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Run).at[0] += 64; }},
    {"base-unknown", [](EntryPlan &table) { table.ranks[0].tasks[0].slots[1].base = 3; }},
    {"base-missing", [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Run).at.pop_back(); }},
    {"slot-elsewhere", [](EntryPlan &table) { table.ranks[0].tasks[0].slots[1].offset = 64; }},
    {"micro-batches", [](EntryPlan &table) { table.microBatches = 3; }},
    {"kernel", [](EntryPlan &table) { ++firstCall(table).kernel; }},
    {"operands", [](EntryPlan &table) { std::swap(firstCall(table).operands[0], firstCall(table).operands[1]); }},
    {"operand-unknown", [](EntryPlan &table) { firstCall(table).operands[0] = 99; }},
    {"result-elsewhere", [](EntryPlan &table) { firstCall(table).operands.back() = 2; }},
    {"call-missing", [](EntryPlan &table) { table.ranks[0].tasks[0].calls.pop_back(); }},
    {"task-unknown", [](EntryPlan &table) { table.ranks[0].tasks[0].name = "s9.F"; }},
    {"action-missing", [](EntryPlan &table) { table.ranks[1].actions.pop_back(); }},
    {"action-of-another-kind",
     [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Send).op = ActionInfo::Op::WaitSend; }},
    {"message-elsewhere", [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Send).offset += 64; }},
    {"drop-of-more", [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Drop).bytes *= 2; }},
    {"drop-of-a-parameter", [](EntryPlan &table) { firstOf(table, ActionInfo::Op::Drop).offset = 0; }},
    {"channel-missing", [](EntryPlan &table) { table.channels.pop_back(); }},
    {"channel-of-fewer-bytes", [](EntryPlan &table) { table.channels[0].bytes = 32; }},
    {"tag", [](EntryPlan &table) { table.channels[0].tag += 64; }},
    {"static-moved", [](EntryPlan &table) { table.ranks[0].buffers[0].offset = 32; }},
    {"after-missing", [](EntryPlan &table) { table.ranks[1].after.back().pop_back(); }},
    {"after-later", [](EntryPlan &table) { table.ranks[0].after[0].push_back(2); }},
    {"after-of-fewer", [](EntryPlan &table) { table.ranks[0].after.pop_back(); }},
    {"arena", [](EntryPlan &table) { table.ranks[0].arenaBytes = 896; }},
};

int main(int argc, char **argv) {
  MLIRContext context;
  context.loadDialect<ein::EinDialect, plan::PlanDialect>();
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &error) { llvm::errs() << error << "\n"; });
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>("-", &context);
  auto change = changes.find(argc == 2 ? argv[1] : "");
  if (!module || change == changes.end())
    return 2;
  auto program = *module->getOps<plan::ProgramOp>().begin();
  plan::RouteTable routes(program);
  plan::TaskSlots slots(program, routes);
  FailureOr<EntryPlan> table = plan::buildActionTable(program, slots);
  if (failed(table))
    return 2;
  change->second(*table);
  return failed(plan::proveActionTable(*table, program, slots, /*limitBytes=*/0));
}

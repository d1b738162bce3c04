//===- BuildActionTable.h - a planned program as plain structs --*- C++ -*-===//
#ifndef PLC_PLANNING_TABLE_BUILDACTIONTABLE_H
#define PLC_PLANNING_TABLE_BUILDACTIONTABLE_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Module/ActionTable.h"

namespace plc::plan {

/// The table of a program that has channels, actions and addresses: what the module holds and the runtime executes. Its
/// calls count the kernels of the module in their order; which code computes each is left open. Fails with a diagnostic
/// where an address is missing or a slot is none of the task's.
llvm::FailureOr<module::EntryPlan> buildActionTable(ProgramOp program, TaskSlots &slots);

/// Proves what `--plan-verify` describes of a table: executed, it computes the program. Nothing is taken from the
/// program's own actions but the places of errors. Fails with a diagnostic.
llvm::LogicalResult proveActionTable(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots,
                                     int64_t limitBytes);

} // namespace plc::plan

#endif

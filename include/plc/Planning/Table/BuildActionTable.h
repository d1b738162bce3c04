//===- BuildActionTable.h - a planned program as plain structs --*- C++ -*-===//
#ifndef PLC_PLANNING_TABLE_BUILDACTIONTABLE_H
#define PLC_PLANNING_TABLE_BUILDACTIONTABLE_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Module/ActionTable.h"

namespace plc::plan {

/// The action table of a program with channels, actions and addresses: the module stores it, the runtime executes it.
/// Calls name kernels by their order in the IR module; the code of kernels is added later. Fails with a diagnostic if
/// an address is missing, or if a frame does not match its task.
llvm::FailureOr<module::EntryPlan> buildActionTable(ProgramOp program, TaskSlots &slots);

/// Proves of a table what `--plan-verify` describes: executed, it computes the program. The program's own actions give
/// only the locations of errors. Fails with a diagnostic.
llvm::LogicalResult proveActionTable(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots,
                                     int64_t limitBytes);

} // namespace plc::plan

#endif

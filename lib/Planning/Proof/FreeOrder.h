//===- FreeOrder.h - which actions must come after which --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_FREEORDER_H
#define PLC_LIB_PLANNING_PROOF_FREEORDER_H

#include "Proof.h"

#include "plc/Planner/Base/Order.h"

namespace plc::plan {

/// The pairs of actions of a rank, earlier one first, that no order may exchange. If a rank's list is right, so is
/// every order that keeps these pairs, as long as only messages are under way while another action runs:
///   - A reader comes after the action that last wrote its bytes in the list. Each other writer of one of these bytes
///     comes before that writer, or after the reader. So, by induction over the order, each action reads what it reads
///     in the list. A receive writes from its post to its wait, a send reads from its start to its wait. A task is one
///     action, so its temporaries exclude only values that live between actions.
///   - Each task runs in index order, and the tasks of a stage and micro-batch in the order F, B, W. So does each part
///     of a channel's messages, as the other proofs assume. A receive is posted after the wait that frees its slot.
///   - P comes first. The step comes after all that is listed before it and before all that is listed behind it, so
///     that no rank waits in it for ranks that wait for this one.
///
/// Ranks do not deadlock. The pairs are part of the list's order, which has no cycle with the messages'
/// (proveMessages), and a rank that takes only ready actions waits for nothing else.
///
/// The table must have passed `proveShape`; its runs and messages must be complete.
planner::Edges neededOrder(const TableOfProgram &both, int64_t rank);

/// Proves, for each rank that takes ready actions, that the pairs of `neededOrder` follow from its `after`.
llvm::LogicalResult proveFreeOrder(const TableOfProgram &both);

} // namespace plc::plan

#endif

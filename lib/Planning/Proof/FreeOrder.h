//===- FreeOrder.h - which actions must come after which --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_FREEORDER_H
#define PLC_LIB_PLANNING_PROOF_FREEORDER_H

#include "Proof.h"

#include "plc/Planner/Base/Order.h"

namespace plc::plan {

/// Pairs of actions of a rank, the earlier one first, that no order may exchange. If a rank's list is right, so is each order
/// of it that keeps these, as long as nothing happens at the same time but messages on their way:
///
///   - Whoever reads bytes comes after the action that wrote them last in the list, and each other action that writes one of
///     them comes before that writer, or after the reader. So by induction over the order each action reads what it reads in
///     the list. A receive writes from its post to its wait, a send reads from its start to its wait; a task is one
///     action, so what it writes for itself alone keeps others apart only from values that live between actions.
///   - Each task runs in index order, a stage's tasks of a micro-batch in theirs (F, B, W), and so does each part of a
///     channel's messages, as the other proofs have it; a receive is posted after the wait that frees its slot.
///   - What prepares comes first; the step comes after what is listed before it, and before what is listed behind it, so
///     that no rank waits there for others that wait for it.
///
/// Ranks do not deadlock: the pairs are part of the list's order, which has no cycle with the messages' (proveMessages), and
/// whoever takes only what is ready waits for nothing else.
///
/// The table must have been found to be shaped as the program (proveShape), its runs and messages to be complete.
planner::Edges neededOrder(const TableOfProgram &both, int64_t rank);

/// Each rank that takes what is ready says `after` for all pairs of `neededOrder`, or they follow from what it says.
llvm::LogicalResult proveFreeOrder(const TableOfProgram &both);

} // namespace plc::plan

#endif

//===- Proof.h - what --plan-verify proves ----------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_H
#define PLC_LIB_PLANNING_PROOF_H

#include "plc/Analysis/TaskSlots.h"

namespace plc::plan {

/// Each task runs once per micro-batch on its stage's rank, each role in index order.
llvm::LogicalResult proveRuns(ProgramOp program, const RouteTable &routes);

/// Each route between ranks has a channel; each message is posted, sent and waited for once, in index order, under a tag
/// of its own, and never more are posted than slots.
llvm::LogicalResult proveMessages(ProgramOp program, const RouteTable &routes);

/// Waiting has no cycle. Edges: the order of each rank, post_recv to wait_send, send to wait_recv.
llvm::LogicalResult proveNoDeadlock(ProgramOp program, const RouteTable &routes);

/// Each clone calls the kernel of its original with its attributes, on the same values, clones standing for originals.
/// By induction over the order of calls it makes the original's bits.
llvm::LogicalResult proveClones(ProgramOp program, TaskSlots &slots);

/// Every read of a rank finds the value and micro-batch that the program names.
llvm::LogicalResult proveMemory(ProgramOp program, RankOp rank, TaskSlots &slots, int64_t limitBytes);

/// "'mul' of 'attention.0', F, micro-batch 1": a resolved value, for people; without a micro-batch if `mb` is -1.
std::string describe(mlir::Value resolved, int64_t mb);

} // namespace plc::plan

#endif

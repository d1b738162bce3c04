//===- Proof.h - what --plan-verify proves ----------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_PROOF_H
#define PLC_LIB_PLANNING_PROOF_PROOF_H

#include "Addresses/Statics.h"

#include "plc/Planning/Table/BuildActionTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace plc::plan {

/// A table beside the program that it must compute. What the table says is proven; the program's operations give the
/// values' names and the places of errors.
struct TableOfProgram {
  const module::EntryPlan &table;
  ProgramOp program;
  TaskSlots &slots;

  /// What a task of the table does, by its name: a task of the program, with its clones or without.
  struct Task {
    TaskOp op;
    bool keeps = false;
  };
  llvm::StringMap<Task> tasks;
  llvm::StringSet<> trained;             ///< parameters that a site belongs to, on any rank
  llvm::SmallVector<ChannelOp> channels; ///< by the table's number
  std::vector<RankOp> ranks;             ///< by index
  RankStages stages;
  /// For each action of each rank, the operation that it came from.
  std::vector<std::vector<ActionInterface>> actions;

  TableOfProgram(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots);

  const RouteTable &routes() const { return slots.getRoutes(); }
  /// The task of a run; without one, the name in the table is no task's.
  Task taskOf(const module::RankInfo &rank, const module::ActionInfo &run) const {
    return tasks.lookup(rank.tasks[run.target].name);
  }
};

/// Ranks, actions, channels and tasks of the table are those of the program, one by one: the same kernels called, in the
/// same order.
llvm::LogicalResult proveShape(TableOfProgram &both);

/// Each task runs once per micro-batch on its stage's rank, each role in index order; each P once, before the rank does
/// anything else, so that what it makes is there whenever it is read, also where P is left out of a later run.
llvm::LogicalResult proveRuns(TableOfProgram &both);

/// Each route between ranks has a channel of its bytes; each message is posted, sent and waited for once, in index order,
/// under a tag of its own, and never more are posted than slots. Waiting has no cycle. Edges: the order of each rank,
/// post_recv to wait_send, send to wait_recv, and from what precedes each rank's step to the end of every step: where
/// gradients are clipped, ranks wait there for the norm of all.
llvm::LogicalResult proveMessages(TableOfProgram &both);

/// Each rank of a training program takes one step, others none. Each parameter has one owner, on whose rank all its sites
/// are, numbered from 0; each site is filled by one call of the program, and is nowhere but an accumulator; what travels
/// per step lands in the place of the same parameter or site. P reads no parameter that has a site.
llvm::LogicalResult proveParameters(TableOfProgram &both);

/// A state is on one rank. Whoever reads it in its place finds the value that the program names, before its update or
/// behind it; what updates in place updates a state, and leaves the value that the output of its name is.
llvm::LogicalResult proveStates(TableOfProgram &both);

/// Each clone calls the kernel of its original with its attributes, on the same values, clones standing for originals.
/// By induction over the order of calls it makes the original's bits. No task B or W reads what its stage's F discards.
llvm::LogicalResult proveClones(ProgramOp program, TaskSlots &slots);

/// What the program says of its cuts, its step and its recomputation, bounds included, is what its calls, kernels and order
/// give, where layers of `keepKinds` keep what they make.
llvm::LogicalResult proveFigures(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs,
                                 llvm::ArrayRef<std::string> keepKinds);

/// Every read of a rank finds the value and micro-batch that the program names. The actions are executed symbolically,
/// with a map from bytes to values in place of the arena (ProveMemory.cpp). The layout holds what the rank needs and no
/// more, and says the bytes that it uses and the most that live at one time.
llvm::LogicalResult proveMemory(TableOfProgram &both, int64_t rank, int64_t limitBytes);

/// "'mul' of 'attention.0', F, micro-batch 1": a resolved value, for people; without a micro-batch if `mb` is -1.
std::string describe(mlir::Value resolved, int64_t mb);

} // namespace plc::plan

#endif

//===- Proof.h - what --plan-verify proves ----------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_PROOF_H
#define PLC_LIB_PLANNING_PROOF_PROOF_H

#include "Addresses/PersistentBuffers.h"

#include "plc/Planning/Table/BuildActionTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace plc::plan {

/// An action table beside the program that it must compute. The proof executes the table. The program gives the meaning
/// of values and the locations of errors, and nothing of what is done when and where.
struct TableOfProgram {
  const module::EntryPlan &table;
  ProgramOp program;
  TaskSlots &slots;

  /// The task of the program that a name in the table means, with its clones or without (`keeps`).
  struct Task {
    TaskOp op;
    bool keeps = false;
  };
  llvm::StringMap<Task> tasks;
  llvm::StringSet<> trained;             ///< parameters with a gradient site on any rank
  llvm::SmallVector<ChannelOp> channels; ///< by number in the table
  std::vector<RankOp> ranks;             ///< by index
  RankStages stages;
  /// The operation of each action, by rank, for errors.
  std::vector<std::vector<ActionInterface>> actions;

  TableOfProgram(const module::EntryPlan &table, ProgramOp program, TaskSlots &slots);

  const RouteTable &routes() const { return slots.getRoutes(); }
  /// The task of a run; no task if the name in the table is none's.
  Task taskOf(const module::RankInfo &rank, const module::ActionInfo &run) const {
    return tasks.lookup(rank.tasks[run.target].name);
  }
  /// What a message of an action's channel takes, if it `sends`, or brings.
  mlir::Value carried(const module::ActionInfo &action, bool sends) {
    RouteOp route = routes().routeOf(channels[action.target]);
    return slots.resolve(sends ? routes().stashOf(route).getValue() : routes().popOf(route).getResult());
  }
};

/// Ranks, actions, channels and tasks of the table correspond to the program's one by one, and tasks call the same
/// kernels in the same order.
llvm::LogicalResult proveShape(TableOfProgram &both);

/// Each task runs once per micro-batch on its stage's rank, in index order. Each P runs once, before all else of its
/// rank, so that its results exist also in later runs without it.
llvm::LogicalResult proveRuns(TableOfProgram &both);

/// Each route between ranks has one channel of its bytes. Each message is posted, sent and waited for once, in index
/// order, with a tag of its own; no more receives are posted than the channel has slots. The graph of waits has no
/// cycle. Its edges: the order of each rank; post_recv to wait_send; send to wait_recv; from what precedes each rank's
/// step to every step, because all ranks wait there for the norm of gradients if these are clipped.
llvm::LogicalResult proveMessages(TableOfProgram &both);

/// Each rank of a training program takes one step, all others none. Each parameter has one owner, whose rank has all of
/// its sites, numbered from 0. One call fills each site, and only as an accumulator. A per-step message lands in the
/// buffer of the same parameter or site. P reads no trained parameter.
llvm::LogicalResult proveParameters(TableOfProgram &both);

/// Each state is on one rank. A reader finds the value that the program names, from before or after the update. Updates
/// in place update only states, and leave the value of the output of the same name.
llvm::LogicalResult proveStates(TableOfProgram &both);

/// Each clone calls its original's kernel, with its attributes, on the same values, where clones stand for originals.
/// So, by induction over the order of calls, it computes the original's bits. No B or W reads what its stage's F
/// discards.
llvm::LogicalResult proveClones(ProgramOp program, TaskSlots &slots);

/// The times, bytes and bounds of cuts, step and recomputation that the program records equal what its calls, kernels
/// and order give. Layers of `keepKinds` save all that they make.
llvm::LogicalResult proveFigures(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs,
                                 llvm::ArrayRef<std::string> keepKinds);

/// Every read of a rank finds the value and micro-batch that the program names. The proof executes the actions with a
/// map from bytes to values in place of the arena. The layout has the buffers that the rank needs, and no others, and
/// records the bytes that it uses and the most that are live at one time. `limitBytes` 0 is no limit.
llvm::LogicalResult proveMemory(TableOfProgram &both, int64_t rank, int64_t limitBytes);

/// A resolved value, for people: "'mul' of 'attention.0', F, micro-batch 1"; `mb` -1 leaves out the micro-batch.
std::string describe(mlir::Value resolved, int64_t mb);

} // namespace plc::plan

#endif

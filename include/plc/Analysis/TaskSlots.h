//===- TaskSlots.h - memory slots of tasks ----------------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_TASKSLOTS_H
#define PLC_ANALYSIS_TASKSLOTS_H

#include "plc/Analysis/RouteTable.h"

#include "mlir/Pass/AnalysisManager.h"

namespace plc::plan {

/// The slots of a program's tasks (see `plan.task`), and the value that each run has in them. An analysis of a
/// `plan.program`, computed per task on demand. It stays valid while the route table does, and no call is added,
/// removed or changed.
class TaskSlots {
public:
  TaskSlots(mlir::Operation *program, mlir::AnalysisManager &analyses);
  TaskSlots(ProgramOp program, const RouteTable &routes);

  const RouteTable &getRoutes() const { return routes; }

  /// The slots of a task, resolved.
  llvm::ArrayRef<mlir::Value> of(TaskOp task);

  /// `RouteTable::resolve`, cached.
  mlir::Value resolve(mlir::Value value) { return resolver(value); }

  /// The value in a slot in a run: if the run keeps its saved activations, the original in place of a clone's value.
  mlir::Value valueIn(bool keeps, mlir::Value slot) const;

  /// The original of each result of each clone: its value in a run that keeps.
  const llvm::DenseMap<mlir::Value, mlir::Value> &getOriginals() const { return originals; }

private:
  const RouteTable &routes;
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Value>> slots;
  Resolver resolver;
  llvm::DenseMap<mlir::Value, mlir::Value> originals;
};

/// Finds the calls that clones recompute. Valid while no call is added or removed. Each stage's F is searched once.
class Originals {
public:
  /// The call of its stage's F that a clone recomputes; null if F has no call at that position.
  CallOp of(CallOp clone);

private:
  llvm::DenseMap<mlir::Operation *, std::vector<CallOp>> forward; // by stage: the calls of its F, in order
};

/// The outputs of a program, or of one rank's stages, by the resolved values whose memory they have.
llvm::DenseMap<mlir::Value, OutputOp> outputsOf(ProgramOp program, const RouteTable &routes,
                                                std::optional<int64_t> rank = std::nullopt);

} // namespace plc::plan

#endif

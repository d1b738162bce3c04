//===- TaskSlots.h - the memory that runs of tasks are given ----*- C++ -*-===//
#ifndef PLC_ANALYSIS_TASKSLOTS_H
#define PLC_ANALYSIS_TASKSLOTS_H

#include "plc/Analysis/RouteTable.h"

#include "mlir/Pass/AnalysisManager.h"

namespace plc::plan {

/// The slots of a program's tasks (see `plan.task`) and what each run has in them. It stays true while the route table
/// does and no call comes, goes or changes. An analysis of a `plan.program`; finds what is asked for, and that once.
class TaskSlots {
public:
  TaskSlots(mlir::Operation *program, mlir::AnalysisManager &analyses);
  TaskSlots(ProgramOp program, const RouteTable &routes);

  const RouteTable &getRoutes() const { return routes; }

  /// The slots of a task, resolved.
  llvm::ArrayRef<mlir::Value> of(TaskOp task);

  /// `RouteTable::resolve`, remembered.
  mlir::Value resolve(mlir::Value value) { return resolver(value); }

  /// What a slot of a task holds in a run: if the run keeps, the original in place of a clone's value.
  mlir::Value valueIn(bool keeps, mlir::Value slot) const;

  /// For each result of each clone, the original's: what the result stands for in a run that keeps.
  const llvm::DenseMap<mlir::Value, mlir::Value> &getOriginals() const { return originals; }

private:
  const RouteTable &routes;
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Value>> slots;
  Resolver resolver;
  llvm::DenseMap<mlir::Value, mlir::Value> originals;
};

/// Finds what clones repeat, as long as no call comes or goes. Each stage's F is looked through once.
class Originals {
public:
  /// The call of its stage's F that a clone repeats; null if F has no call of that place.
  CallOp of(CallOp clone);

private:
  llvm::DenseMap<mlir::Operation *, std::vector<CallOp>> forward; // by stage: the calls of its F, in order
};

/// The outputs of a program, or of the stages of one rank alone, by the resolved values whose memory they are.
llvm::DenseMap<mlir::Value, OutputOp> outputsOf(ProgramOp program, const RouteTable &routes,
                                                std::optional<int64_t> rank = std::nullopt);

} // namespace plc::plan

#endif

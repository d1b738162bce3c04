//===- RetentionModel.h - a stage as a problem of retention -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_RETENTIONMODEL_H
#define PLC_LIB_PLANNING_REMAT_RETENTIONMODEL_H

#include "Addresses/Statics.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Remat/Retention.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace plc::plan {

/// What the problems of a program's stages look up, made once for all of them.
class RetentionContext {
public:
  RetentionContext(ProgramOp program, llvm::ArrayRef<std::string> keepKinds);

  ProgramOp program;
  mlir::SymbolTable kernels;
  Originals originals;

  /// Null if there is none.
  KernelOp kernelOf(CallOp call) const;
  /// Whether a call belongs to a layer of the `keepKinds`, which run once.
  bool keeps(CallOp call) const;
  /// Of all that lives through the step on a rank.
  int64_t staticBytes(int64_t rank);

private:
  llvm::ArrayRef<std::string> keepKinds;
  llvm::StringMap<llvm::StringRef> kinds; // of layers' paths
  RankStages stages;
  std::map<int64_t, int64_t> statics; // by rank
};

/// The calls of a stage's tasks in order. What it receives is made at the beginning of the task that uses it first, what it
/// sends is read at the end of the task that makes it. Calls of F run again behind F, unless they accumulate, make an output of
/// the program or belong to a layer of the context's `keepKinds`. Static bytes are those of the rank. Clones that the stage
/// has are no calls, but an answer.
class StageRetention {
public:
  StageRetention(RetentionContext &context, StageOp stage, int64_t inFlight);

  planner::RetentionProblem problem;

  /// The clones that the stage has.
  const planner::Retention &found() const { return clones; }

private:
  void addTask(RetentionContext &context, TaskOp task);
  void addCall(RetentionContext &context, CallOp call, planner::TaskKind kind);
  void addClone(RetentionContext &context, CallOp clone);
  int64_t add(mlir::Value value, int64_t bytes);

  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Operation *, int64_t> numberOf; ///< of calls
  planner::Retention clones;
};

} // namespace plc::plan

#endif

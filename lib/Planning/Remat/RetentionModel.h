//===- RetentionModel.h - stages as problems with a budget ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_RETENTIONMODEL_H
#define PLC_LIB_PLANNING_REMAT_RETENTIONMODEL_H

#include "Addresses/Statics.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Remat/Retention.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace plc::plan {

/// Lookups that the problems of all stages of a program share.
class RetentionContext {
public:
  RetentionContext(ProgramOp program, llvm::ArrayRef<std::string> keepKinds);

  ProgramOp program;
  mlir::SymbolTable kernels;
  Originals originals;

  /// The kernel of a call; null in IR without it.
  KernelOp kernelOf(CallOp call) const;
  /// Whether a call belongs to a layer of `keepKinds`, whose calls run once.
  bool keeps(CallOp call) const;
  /// Persistent bytes of a rank.
  int64_t staticBytes(int64_t rank);

private:
  llvm::ArrayRef<std::string> keepKinds;
  llvm::StringMap<llvm::StringRef> kinds; // of layers' paths
  RankStages stages;
  std::map<int64_t, int64_t> statics; // by rank
};

/// A stage as a problem of recomputation under a byte budget: its calls, task by task, in order.
///   - The first task that uses a received value begins with a call that makes it.
///   - The task that makes a sent value ends with a call that reads it.
///   - Forward calls may run again unless they accumulate, make an output, or belong to a layer of `keepKinds`.
///   - Clones that the stage already has are an answer (`found`), not calls.
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

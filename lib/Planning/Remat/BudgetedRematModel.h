//===- BudgetedRematModel.h - stages as problems with a budget ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_BUDGETEDREMATMODEL_H
#define PLC_LIB_PLANNING_REMAT_BUDGETEDREMATMODEL_H

#include "Addresses/PersistentBuffers.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Remat/BudgetedRemat.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace plc::plan {

/// Lookups that the problems of all stages of a program share.
class BudgetedRematContext {
public:
  BudgetedRematContext(ProgramOp program, llvm::ArrayRef<std::string> keepKinds);

  ProgramOp program;
  mlir::SymbolTable kernels;
  Originals originals;

  /// The kernel of a call; null in IR without it.
  KernelOp kernelOf(CallOp call) const;
  /// Whether a call belongs to a layer of `keepKinds`, whose calls run once.
  bool keeps(CallOp call) const;
  /// Persistent bytes of a rank.
  int64_t persistentBytes(int64_t rank);

private:
  llvm::ArrayRef<std::string> keepKinds;
  llvm::StringMap<llvm::StringRef> kinds; // of layers' paths
  RankStages stages;
  std::map<int64_t, int64_t> buffers; // by rank
};

/// A stage as a problem of recomputation under a byte budget: its calls, task by task, in order.
///   - The first task that uses a received value begins with a call that makes it.
///   - The task that makes a sent value ends with a call that reads it.
///   - Forward calls may run again unless they accumulate, make an output, or belong to a layer of `keepKinds`.
///   - Clones that the stage already has are an answer (`found`), not calls.
class StageRemat {
public:
  StageRemat(BudgetedRematContext &context, StageOp stage, int64_t inFlight);

  planner::BudgetedRematProblem problem;

  /// The clones that the stage has.
  const planner::BudgetedRemat &found() const { return clones; }

private:
  void addTask(BudgetedRematContext &context, TaskOp task);
  void addCall(BudgetedRematContext &context, CallOp call, planner::TaskKind kind);
  void addClone(BudgetedRematContext &context, CallOp clone);
  int64_t add(mlir::Value value, int64_t bytes);

  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Operation *, int64_t> numberOf; ///< of calls
  planner::BudgetedRemat clones;
};

} // namespace plc::plan

#endif

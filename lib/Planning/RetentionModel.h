//===- RetentionModel.h - a stage as a problem of retention -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_RETENTIONMODEL_H
#define PLC_LIB_PLANNING_RETENTIONMODEL_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Retention.h"

namespace plc::plan {

/// The calls of a stage's tasks in order. What it receives is made at the beginning of the task that uses it first, what it
/// sends is read at the end of the task that makes it. Calls of F run again behind F, unless they accumulate, make an output of
/// the program or belong to a layer of `keepKinds`. Static bytes are those of the rank. Clones that the stage has are no
/// calls, but an answer.
class StageRetention {
public:
  StageRetention(ProgramOp program, StageOp stage, int64_t inFlight, llvm::ArrayRef<std::string> keepKinds);

  planner::RetentionProblem problem;

  /// The kernel call that a call of the problem stands for; null for what is received or sent.
  CallOp callOf(int64_t call) const { return calls[call]; }
  /// Writes an answer into the stage's calls: what F discards, and what runs again before the calls of B and W.
  void write(const planner::Retention &answer);
  /// The clones that the stage has.
  const planner::Retention &found() const { return clones; }
  /// Bytes of what F makes that B or W read; outputs have their places anyway.
  int64_t keptBytes(const planner::Retention &answer) const;

private:
  void addTask(TaskOp task);
  void addCall(CallOp call, planner::TaskKind kind);
  void addClone(CallOp clone);
  int64_t add(mlir::Value value, int64_t bytes);
  /// For each value whether it is there at the end of F and read before it is made again.
  std::vector<bool> keptValues(const planner::Retention &answer) const;

  StageOp stage;
  mlir::SymbolTable kernels;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  std::vector<CallOp> calls; ///< null: received or sent
  planner::Retention clones;
};

} // namespace plc::plan

#endif

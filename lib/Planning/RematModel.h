//===- RematModel.h - a program as a problem of recomputation ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMATMODEL_H
#define PLC_LIB_PLANNING_REMATMODEL_H

#include "FlatProgram.h"

#include "plc/Planner/RematPolicies.h"

namespace plc::plan {

/// What the options of `--plan-partition` and `--plan-remat` say of recomputation.
struct RematChoice {
  planner::RematMode mode;
  bool attention = true, ffn = true; ///< whether layers of these kinds are recomputed
  planner::RecomputingRuns runs = planner::RecomputingRuns::always;

  /// Whether anything may be recomputed.
  bool isOn() const { return mode.policy != planner::RematPolicy::none && runs != planner::RecomputingRuns::never; }
  /// Whether the options have a meaning; the mode's own are checked where segments are chosen.
  planner::Fault check() const;
  bool selects(llvm::StringRef kind) const;
};

/// The forward calls of a flat program, in order, and what its backward calls read.
planner::RematProblem buildRematProblem(const FlatProgram &flat, const RematChoice &choice);

/// The same of a program with stages and routes.
planner::RematProblem buildRematProblem(ProgramOp program, const RematChoice &choice);

/// The same of one stage, to which what it receives is given. Numbers of values are those of `values`.
struct StageRemat {
  planner::RematProblem problem;
  llvm::SmallVector<CallOp> calls; ///< of F
  llvm::DenseMap<mlir::Value, int64_t> values;
};
StageRemat buildRematProblem(StageOp stage);

/// What a value inside a stage is there: a result of a task is the result of one of its calls.
mlir::Value insideStage(mlir::Value value);

} // namespace plc::plan

#endif

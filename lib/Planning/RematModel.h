//===- RematModel.h - a program as a problem of recomputation ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMATMODEL_H
#define PLC_LIB_PLANNING_REMATMODEL_H

#include "FlatProgram.h"

#include "plc/Planner/RematPolicies.h"

namespace plc::plan {

/// The forward calls of a flat program, in order, and its backward calls; the one place that says what a problem of
/// recomputation is. Layers of `keepKinds` keep what they make. Values are numbered as the program's; all calls are of
/// one stage.
planner::RematProblem buildRematProblem(const FlatProgram &flat, llvm::ArrayRef<std::string> keepKinds);

/// The same with the segments that a mode's policy chooses. Fails with a diagnostic, of the key, where the mode names what there is
/// not.
mlir::FailureOr<planner::RematProblem> buildSegments(ein::ModelOp model, const FlatProgram &flat,
                                                     llvm::ArrayRef<std::string> keepKinds,
                                                     const planner::RematMode &mode);

/// What a problem's policy makes of the stages of the program's units, which a cut has found: what a stage receives is
/// there. Writes into the forward calls what they discard.
planner::Remat decideByStage(FlatProgram &flat, llvm::ArrayRef<int64_t> stageOfUnit, planner::RematProblem &problem);

} // namespace plc::plan

#endif

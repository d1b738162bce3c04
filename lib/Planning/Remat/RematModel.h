//===- RematModel.h - a program as a problem of recomputation ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_REMATMODEL_H
#define PLC_LIB_PLANNING_REMAT_REMATMODEL_H

#include "Base/FlatProgram.h"

#include "plc/Planner/Remat/RematPolicies.h"

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

/// What a problem's policy makes of the stages of the program's units: what a stage receives is there.
planner::Remat decideByStage(const FlatProgram &flat, llvm::ArrayRef<int32_t> stageOfUnit,
                             planner::RematProblem &problem);

/// Says what each forward call keeps for the backward pass, or that it is computed again, at which cost. Nothing if
/// nothing is computed again.
void remarkRecomputation(ein::ModelOp model, const FlatProgram &flat, const planner::RematProblem &problem,
                         const planner::Remat &answer);

} // namespace plc::plan

#endif

//===- RematModel.h - programs as segments of a policy ----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REMAT_REMATMODEL_H
#define PLC_LIB_PLANNING_REMAT_REMATMODEL_H

#include "Base/FlatProgram.h"

#include "plc/Planner/Remat/RematPolicies.h"

namespace plc::plan {

/// The problem of recomputation of a flat program: its forward calls in order, and its backward calls. This is the only
/// place that defines it. Values have the program's numbers, sizes are in bytes. Layers of `keepKinds` save all that
/// they make. All calls belong to one stage.
planner::RematProblem buildRematProblem(const FlatProgram &flat, llvm::ArrayRef<std::string> keepKinds);

/// The same problem with the segments that the policy of `mode` chooses. Fails with a diagnostic for the strategy's key
/// if `mode` names layers that do not exist.
mlir::FailureOr<planner::RematProblem> buildSegments(ein::ModelOp model, const FlatProgram &flat,
                                                     llvm::ArrayRef<std::string> keepKinds,
                                                     const planner::RematMode &mode);

/// The answer of the problem's policy for units in stages. A stage has what it receives, so each stage starts new
/// segments. Sets the stages of the problem's calls.
planner::Remat decideByStage(const FlatProgram &flat, llvm::ArrayRef<int32_t> stageOfUnit,
                             planner::RematProblem &problem);

/// Remarks which forward calls keep their results for the backward pass, and which run again at what cost. Silent if
/// none does.
void remarkRecomputation(ein::ModelOp model, const FlatProgram &flat, const planner::RematProblem &problem,
                         const planner::Remat &answer);

} // namespace plc::plan

#endif

//===- StageBuilder.h - a flat program as stages and tasks ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_STAGEBUILDER_H
#define PLC_LIB_PLANNING_STAGEBUILDER_H

#include "FlatProgram.h"

namespace plc::plan {

/// What is known of a stage beside its units.
struct StagePlan {
  int64_t rank, bytes;
};

/// The program, behind its model, whose units are in the given stages. Stages use each other's results.
mlir::FailureOr<ProgramOp> buildProgram(ein::ModelOp model, const FlatProgram &flat,
                                        llvm::ArrayRef<int64_t> stageOfUnit, llvm::ArrayRef<StagePlan> plans);

} // namespace plc::plan

#endif

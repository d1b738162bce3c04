//===- StageBuilder.h - a flat program as stages and tasks ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_STAGEBUILDER_H
#define PLC_LIB_PLANNING_PARTITION_STAGEBUILDER_H

#include "Base/FlatProgram.h"

namespace plc::plan {

/// The program, behind its model, whose units are in the given stages, and these on ranks. Stages use each other's results.
mlir::FailureOr<ProgramOp> buildProgram(ein::ModelOp model, const FlatProgram &flat,
                                        llvm::ArrayRef<int32_t> stageOfUnit, llvm::ArrayRef<int32_t> rankOf);

} // namespace plc::plan

#endif
